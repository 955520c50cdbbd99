UPDATE stored_file SET remove_at = transaction_timestamp() WHERE account_id = $1::bigint AND job_id = $2::uuid
