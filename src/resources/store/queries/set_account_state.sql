-- An account that is marked for deletion stays suspended.
UPDATE account
   SET state = $2, version = version + 1, updated_at = transaction_timestamp()
 WHERE account_id = $1::bigint AND delete_at IS NULL
RETURNING account_id
