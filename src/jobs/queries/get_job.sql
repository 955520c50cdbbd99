SELECT account_id, job_id, kind, type, state, attempt, generation, done, total, options, result, error, key_id, queued_at,
       updated_at, started_at, finished_at, expires_at
  FROM job
 WHERE account_id = $1::bigint AND job_id = $2::uuid AND kind = $3
