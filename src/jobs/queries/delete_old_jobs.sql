WITH old AS (
  SELECT account_id, job_id FROM job
   WHERE finished_at < transaction_timestamp() - make_interval(secs => $2::double precision)
   LIMIT $1::bigint FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM job j USING old o WHERE j.account_id = o.account_id AND j.job_id = o.job_id
  RETURNING 1
)
SELECT count(*) AS count FROM gone
