-- timeout: 4000ms
INSERT INTO count_delta (account_id, workflow_id, node, counter, delta)
SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::bigint[])
