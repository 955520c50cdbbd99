INSERT INTO workflow (account_id, workflow_id, alias, name, status, draft_version, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3, $4, 'draft', 1, $5::timestamptz, $5::timestamptz)
