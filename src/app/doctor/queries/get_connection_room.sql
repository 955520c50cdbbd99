-- Counts the connections available to roles that are not superusers.
SELECT least(current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
             - current_setting('reserved_connections')::integer,
             (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database())) AS room
