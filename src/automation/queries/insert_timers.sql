-- timeout: 4000ms
-- The same run may have had a timer at the same time before.
INSERT INTO timer (lane_group, due_at, owner_id, account_id, contact_id)
SELECT * FROM unnest($1::smallint[], $2::timestamptz[], $3::uuid[], $4::bigint[], $5::uuid[])
    ON CONFLICT DO NOTHING
