-- timeout: 4000ms
SELECT fence_lanes($1::uuid, $2, $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[])
