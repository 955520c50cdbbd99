-- timeout: 10000ms
SELECT made, dropped, covered FROM keep_monthly_partitions($1, make_interval(days => $2::integer), $3::integer)
