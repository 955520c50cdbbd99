INSERT INTO api_key (account_id, key_id, name, hash, hint, scopes, expires_at, ring_key)
VALUES ($1::bigint, $2::uuid, $3, $4::bytea, $5, $6::text[], $7::timestamptz, $8::integer)
