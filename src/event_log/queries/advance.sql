-- timeout: 4000ms
SELECT advance($1::uuid, $2, $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[],
               $8::bigint, $9::bigint, $10::bigint)
