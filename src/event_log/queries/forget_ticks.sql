-- timeout: 4000ms
SELECT forget_ticks(make_interval(secs => $1::integer), $2::integer) AS count
