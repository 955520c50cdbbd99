-- Claims the oldest job of the account with the fewest running jobs. Skips rows that another worker is claiming.
WITH busy AS (
  SELECT account_id, count(*) AS jobs FROM job
   WHERE state = 'inProgress' AND leased_until >= transaction_timestamp()
   GROUP BY account_id
), chosen AS (
  SELECT j.account_id, j.job_id FROM job j LEFT JOIN busy b ON b.account_id = j.account_id
   WHERE j.state IN ('queued', 'inProgress')
     AND (j.state = 'queued' OR j.leased_until < transaction_timestamp())
     AND j.kind = ANY ($1::text[]) AND j.attempt < $3::integer
   ORDER BY coalesce(b.jobs, 0), j.queued_at, j.job_id
   LIMIT 1 FOR UPDATE OF j SKIP LOCKED
)
UPDATE job j
   SET state = 'inProgress', attempt = j.attempt + 1, generation = j.generation + 1,
       leased_until = transaction_timestamp() + make_interval(secs => $2::double precision),
       started_at = coalesce(j.started_at, transaction_timestamp()), updated_at = transaction_timestamp()
  FROM chosen c
 WHERE j.account_id = c.account_id AND j.job_id = c.job_id
RETURNING j.account_id, j.job_id, j.kind, j.type, j.state, j.attempt, j.generation, j.done, j.total, j.options, j.result,
          j.error, j.key_id, j.queued_at, j.updated_at, j.started_at, j.finished_at, j.expires_at
