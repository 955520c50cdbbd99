UPDATE job
   SET state = 'queued', leased_until = NULL, generation = generation + 1, updated_at = transaction_timestamp()
 WHERE account_id = $1::bigint AND job_id = $2::uuid AND generation = $3::bigint AND state = 'inProgress'
