-- Counts attached partitions only: a table that merely has the name of one takes no events. The result is -1 if this
-- month has none.
SELECT coalesce(min(ahead), 13) - 1 AS months
  FROM generate_series(0, 12) AS ahead
 WHERE NOT EXISTS (
   SELECT FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'event'::regclass
      AND c.relname = to_char(date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC')
                              + make_interval(months => ahead), '"event_"YYYY_MM'))
