SELECT row, pointer, code, detail, line FROM import_failure
 WHERE account_id = $1::bigint AND job_id = $2::uuid AND row > $3::bigint
 ORDER BY row
 LIMIT $4::bigint
