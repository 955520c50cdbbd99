-- timeout: 4000ms
SELECT partition, sender, number
  FROM advance_intake($1::uuid, $2, $3::smallint[], $4::bigint[], $5::bigint[], $6::bigint[],
                      $7::smallint[], $8::uuid[], $9::bigint[])
