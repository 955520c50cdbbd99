SELECT forget_deliveries(make_interval(secs => $2::integer), $1::integer) AS count
