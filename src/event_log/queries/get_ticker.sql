SELECT t.generation, t.owner = $1::uuid AS ours,
       EXISTS (SELECT FROM process p WHERE p.process = t.owner
                  AND p.beat_at > transaction_timestamp() - make_interval(secs => $2::integer)) AS alive
  FROM log_ticker t
