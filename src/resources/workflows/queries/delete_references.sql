-- Deletes the references of every version except $3. If $3 is null, deletes those of all versions.
DELETE FROM workflow_reference
 WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND version IS DISTINCT FROM $3::integer
