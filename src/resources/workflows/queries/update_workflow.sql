WITH changed AS (
  UPDATE workflow
     SET name = $4, status = $5, active_version = $6::integer, draft_version = $7::integer, finish_mode = $8,
         activated_at = $9::timestamptz, finished_at = $10::timestamptz, updated_at = $11::timestamptz,
         version = version + 1
   WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the workflow has changed meanwhile')
