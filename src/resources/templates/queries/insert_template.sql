INSERT INTO template (account_id, template_id, alias, name, published_version, draft_version, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3, $4, $5::integer, $6::integer, $7::timestamptz, $7::timestamptz)
