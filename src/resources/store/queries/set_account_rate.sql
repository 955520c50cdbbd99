UPDATE account
   SET requests_per_second = $2::integer, request_burst = $3::integer, version = version + 1,
       updated_at = transaction_timestamp()
 WHERE account_id = $1::bigint
RETURNING account_id
