-- Unless a job has it.
UPDATE stored_file SET remove_at = transaction_timestamp()
 WHERE account_id = $1::bigint AND name = $2 AND job_id = $3::uuid
RETURNING 1
