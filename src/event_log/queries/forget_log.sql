-- timeout: 4000ms
SELECT from_tick, from_number, dropped
  FROM forget_log(make_interval(secs => $1::integer), make_interval(secs => $2::integer), $3::integer, $4::bigint,
                  $5::bigint)
