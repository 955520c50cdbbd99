-- PostgreSQL shows a role only the times of its own sessions; for other sessions it shows the age of the snapshot.
SELECT pid, coalesce(usename, 'somebody') AS role,
       extract(epoch FROM clock_timestamp() - xact_start)::bigint AS seconds, age(backend_xmin)::bigint AS held_back
  FROM pg_stat_activity
 WHERE datname = current_database() AND pid <> pg_backend_pid()
   AND (xact_start < clock_timestamp() - interval '1 hour' OR age(backend_xmin) > 10000000)
 ORDER BY pid LIMIT 20
