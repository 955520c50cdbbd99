INSERT INTO product (account_id, product_id, version, store_id, name_key, data, source_updated_at, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3::bigint + 1, $4, $5, $6::jsonb, $7::timestamptz, $8::timestamptz, $9::timestamptz)
