UPDATE account
   SET state = $2, version = version + 1, updated_at = transaction_timestamp()
 WHERE account_id = $1::bigint
RETURNING account_id
