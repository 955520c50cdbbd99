WITH changed AS (
  UPDATE api_key
     SET name = $4, scopes = $5::text[], expires_at = $6::timestamptz, allowed_addresses = $7::text[],
         requests_per_second = $8::integer, request_burst = $9::integer, updated_at = $10::timestamptz,
         version = version + 1
   WHERE account_id = $1::bigint AND key_id = $2::uuid AND version = $3::bigint AND revoked_at IS NULL
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the key has changed meanwhile')
