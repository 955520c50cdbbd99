SELECT gid, owner AS role, extract(epoch FROM clock_timestamp() - prepared)::bigint AS seconds
  FROM pg_prepared_xacts
 WHERE database = current_database() AND prepared < clock_timestamp() - interval '1 hour'
 ORDER BY prepared LIMIT 20
