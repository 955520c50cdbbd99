-- timeout: 4000ms
INSERT INTO subject_wait (account_id, contact_id, lane, subject, since, run_id, per_unit)
SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::text[], $5::timestamptz[], $6::uuid[], $7::integer[])
