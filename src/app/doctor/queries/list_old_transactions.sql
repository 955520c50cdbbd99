-- PostgreSQL shows a role the times of its own sessions alone; of others it shows how far back their snapshot reaches.
SELECT pid, coalesce(usename, 'somebody') AS role,
       extract(epoch FROM clock_timestamp() - xact_start)::bigint AS seconds, age(backend_xmin)::bigint AS held_back
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
   AND (xact_start < clock_timestamp() - interval '1 hour' OR age(backend_xmin) > 10000000)
 ORDER BY pid LIMIT 20
