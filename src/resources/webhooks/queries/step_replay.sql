-- timeout: 4000ms
SELECT step_replay($1::integer, $2::integer) AS count
