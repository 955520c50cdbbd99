INSERT INTO template (account_id, template_id, alias, name, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3, $4, $5::timestamptz, $5::timestamptz)
