-- timeout: 4000ms
SELECT ordinal, outcome
  FROM take_queued_events($1::bigint[], $2::bigint[], $3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::text[],
                          $9::bytea[], $10::bytea[], $11::timestamptz[], $12::text[], $13::jsonb[])
