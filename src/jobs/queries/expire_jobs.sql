WITH old AS (
  SELECT account_id, job_id FROM job
   WHERE finished_at IS NOT NULL AND state = 'finished' AND expires_at <= transaction_timestamp()
   LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), changed AS (
  UPDATE job j SET state = 'expired', updated_at = transaction_timestamp() FROM old o
   WHERE j.account_id = o.account_id AND j.job_id = o.job_id
  RETURNING 1
)
SELECT count(*) AS count FROM changed
