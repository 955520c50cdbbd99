UPDATE webhook
   SET enabled_at = transaction_timestamp(), failing_since = NULL, version = version + 1,
       updated_at = transaction_timestamp()
 WHERE account_id = $1::bigint AND state = 'enabled'
