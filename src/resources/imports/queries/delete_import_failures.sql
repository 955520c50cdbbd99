WITH left_over AS (
  SELECT f.account_id, f.job_id, f.row FROM import_failure f
   WHERE NOT EXISTS (SELECT FROM job j WHERE j.account_id = f.account_id AND j.job_id = f.job_id
                        AND j.state IN ('queued', 'inProgress'))
   LIMIT $1::bigint
), gone AS (
  DELETE FROM import_failure f USING left_over l
   WHERE f.account_id = l.account_id AND f.job_id = l.job_id AND f.row = l.row
  RETURNING 1
)
SELECT count(*) AS count FROM gone
