-- timeout: 4000ms
-- `set_back`: by how many seconds the clock is behind the tick before.
SELECT m.tick, m.made,
       coalesce(greatest(extract(epoch FROM last.at - transaction_timestamp()), 0), 0)::text AS set_back
  FROM make_tick($1::uuid, $2::bigint) m
  LEFT JOIN log_tick last ON last.tick = CASE WHEN m.made THEN m.tick - 1 END
