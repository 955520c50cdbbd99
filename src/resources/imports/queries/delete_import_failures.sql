-- timeout: 30000ms
DELETE FROM import_failure WHERE account_id = $1::bigint AND job_id = $2::uuid
