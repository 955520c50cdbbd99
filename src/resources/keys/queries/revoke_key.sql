UPDATE api_key
   SET revoked_at = transaction_timestamp(), version = version + 1, updated_at = transaction_timestamp()
 WHERE key_id = $1::uuid AND revoked_at IS NULL
RETURNING account_id
