-- The fence: the group fails unless this update finds the job in progress with the generation of the worker.
WITH held AS (
  UPDATE job
     SET done = $4::bigint, total = $5::bigint, updated_at = transaction_timestamp(),
         result = CASE WHEN $7::jsonb IS NULL THEN result ELSE $7::jsonb END,
         leased_until = greatest(leased_until, clock_timestamp() + make_interval(secs => $6::double precision))
   WHERE account_id = $1::bigint AND job_id = $2::uuid AND generation = $3::bigint AND state = 'inProgress'
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM held), 'SB002', 'the job is no longer this worker''s')
