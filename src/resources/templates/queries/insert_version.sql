INSERT INTO template_version (account_id, template_id, version, content, created_at, published_at)
VALUES ($1::bigint, $2::uuid, $3::integer, $4::json, $5::timestamptz, $6::timestamptz)
