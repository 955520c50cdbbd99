-- order: [newest|oldest]
SELECT account_id, job_id, kind, type, state, attempt, generation, done, total, options, result, error, key_id, queued_at,
       updated_at, started_at, finished_at, expires_at
  FROM job
 WHERE account_id = $1::bigint AND kind = $2 AND ($3::uuid IS NULL OR job_id [<|>] $3::uuid)
   AND ($4::text IS NULL OR state = $4) AND ($5::text IS NULL OR type = $5)
 ORDER BY job_id [DESC|ASC]
 LIMIT $6::bigint
