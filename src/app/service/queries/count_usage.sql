-- timeout: 10000ms
-- Counts one account at a time, because the rate exchange shares the connection.
SELECT count_usage(least($1::integer, 1)) AS count
