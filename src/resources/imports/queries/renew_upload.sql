UPDATE stored_file SET remove_at = transaction_timestamp() + make_interval(secs => $3::double precision)
 WHERE account_id = $1::bigint AND name = $2 AND remove_at > transaction_timestamp()
RETURNING 1
