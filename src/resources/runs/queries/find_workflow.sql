SELECT workflow_id FROM workflow WHERE account_id = $1::bigint AND (alias = $2 OR workflow_id = $3::uuid)
