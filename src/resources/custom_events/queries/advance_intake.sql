-- timeout: 4000ms
SELECT advance_intake($1::uuid, $2, $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[])
