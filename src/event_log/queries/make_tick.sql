-- timeout: 4000ms
SELECT tick, made FROM make_tick($1::uuid, $2::bigint)
