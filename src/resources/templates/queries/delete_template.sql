WITH gone AS (
  DELETE FROM template
   WHERE account_id = $1::bigint AND template_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the template has changed meanwhile')
