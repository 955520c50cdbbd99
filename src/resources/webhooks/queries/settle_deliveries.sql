-- timeout: 4000ms
SELECT settle_deliveries($1::bigint[], $2::uuid[], $3::bigint[], $4::uuid[], $5::boolean[], $6::smallint[], $7::text[],
                         $8::bigint[], $9::bigint[], make_interval(secs => $10::integer),
                         make_interval(secs => $11::integer), make_interval(secs => $12::integer))
