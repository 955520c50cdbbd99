-- Matches no row if a job owns the file: adopt_upload has replaced job_id.
UPDATE stored_file SET remove_at = transaction_timestamp()
 WHERE account_id = $1::bigint AND name = $2 AND job_id = $3::uuid
RETURNING 1
