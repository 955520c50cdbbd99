INSERT INTO integration (account_id, integration_id, name, description, color, image_url, events_enabled, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3, $4, $5, $6, $7::boolean, $8::timestamptz, $8::timestamptz)
