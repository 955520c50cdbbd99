-- timeout: 10000ms
-- One account at a time: the exchange of rates shares the connection.
SELECT count_usage(least($1::integer, 1)) AS count
