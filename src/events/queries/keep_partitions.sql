-- timeout: 10000ms
SELECT made, dropped, covered FROM keep_event_partitions(make_interval(days => $1::integer), $2::integer)
