-- The worker learns of the cancellation with its next heartbeat; its later writes are refused.
WITH cancelled AS (
  UPDATE job
     SET state = 'cancelled', generation = generation + 1, leased_until = NULL, finished_at = $4::timestamptz,
         updated_at = $4::timestamptz
   WHERE account_id = $1::bigint AND job_id = $2::uuid AND generation = $3::bigint AND state IN ('queued', 'inProgress')
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM cancelled), 'SB001', 'the job was changed meanwhile')
