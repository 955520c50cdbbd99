-- timeout: 4000ms
UPDATE workflow_schedule SET walked_to = $4::uuid
 WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND zone = $3
