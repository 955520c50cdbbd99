WITH ended AS (
  UPDATE job
     SET state = $4, result = CASE WHEN $5::jsonb IS NULL THEN result ELSE $5::jsonb END, error = $6::jsonb,
         done = $7::bigint, total = $8::bigint, leased_until = NULL,
         finished_at = $9::timestamptz, updated_at = $9::timestamptz, expires_at = $10::timestamptz
   WHERE account_id = $1::bigint AND job_id = $2::uuid AND generation = $3::bigint AND state = 'inProgress'
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM ended), 'SB002', 'the job is no longer this worker''s')
