WITH gone AS (
  DELETE FROM job WHERE account_id = $1::bigint AND job_id = $2::uuid RETURNING 1
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the job was deleted meanwhile')
