WITH changed AS (
  UPDATE api_key
     SET revoked_at = transaction_timestamp(), updated_at = transaction_timestamp(), version = version + 1
   WHERE account_id = $1::bigint AND key_id = $2::uuid AND version = $3::bigint AND revoked_at IS NULL
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the key has changed meanwhile')
