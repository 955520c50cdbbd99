-- timeout: 10000ms
SELECT advance_usage($1::integer) AS count
