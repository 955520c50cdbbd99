-- Ends jobs that used up their attempts without completing, so that they cannot bring down more workers.
WITH hopeless AS (
  SELECT account_id, job_id FROM job
   WHERE state IN ('queued', 'inProgress') AND attempt >= $2::integer
     AND (state = 'queued' OR leased_until < transaction_timestamp())
   LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), ended AS (
  UPDATE job j
     SET state = 'error', error = $3::jsonb, generation = generation + 1, leased_until = NULL,
         finished_at = transaction_timestamp(), updated_at = transaction_timestamp()
    FROM hopeless h
   WHERE j.account_id = h.account_id AND j.job_id = h.job_id
  RETURNING 1
)
SELECT count(*) AS count FROM ended
