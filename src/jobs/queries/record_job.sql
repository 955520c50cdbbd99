-- The fence, as hold_job: with what the job has come to.
WITH held AS (
  UPDATE job
     SET done = $4::bigint, total = $5::bigint, result = $6::jsonb, updated_at = transaction_timestamp(),
         leased_until = greatest(leased_until, clock_timestamp() + make_interval(secs => $7::double precision))
   WHERE account_id = $1::bigint AND job_id = $2::uuid AND generation = $3::bigint AND state = 'inProgress'
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM held), 'SB002', 'the job is no longer this worker''s')
