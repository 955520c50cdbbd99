-- Lists the partitions of this month and the next.
SELECT to_char(m.month, '"event_"YYYY_MM') AS name, to_char(m.month, 'YYYY-MM-DD') AS starts,
       EXISTS (SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
                WHERE i.inhparent = 'public.event'::regclass AND c.relname = to_char(m.month, '"event_"YYYY_MM')) AS made
  FROM generate_series(0, 1) AS ahead,
       LATERAL (SELECT date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC')
                       + make_interval(months => ahead) AS month) AS m
 ORDER BY m.month
