SELECT p.process, p.version, p.started_at, coalesce(p.keyring_keys, '{}')::text[] AS keyring_keys,
       extract(epoch FROM transaction_timestamp() - p.beat_at)::text AS silent,
       p.beat_at > transaction_timestamp() - make_interval(secs => $1::integer) AS alive,
       (SELECT count(*) FROM lane_owner l WHERE l.owner = p.process) AS groups,
       EXISTS (SELECT FROM log_ticker t WHERE t.owner = p.process) AS ticks
  FROM process p
 ORDER BY p.started_at, p.process
