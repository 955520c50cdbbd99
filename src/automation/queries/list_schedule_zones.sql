-- timeout: 4000ms
SELECT zone, version FROM workflow_schedule
 WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND zone <> '+'
