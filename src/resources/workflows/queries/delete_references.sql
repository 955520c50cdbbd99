-- Of every version but one; null: of all.
DELETE FROM workflow_reference
 WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND version IS DISTINCT FROM $3::integer
