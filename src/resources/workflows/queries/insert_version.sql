INSERT INTO workflow_version (account_id, workflow_id, version, definition, created_at)
VALUES ($1::bigint, $2::uuid, $3::integer, $4::json, $5::timestamptz)
