SELECT count(*) AS jobs FROM job
 WHERE account_id = $1::bigint AND kind = $2 AND state IN ('queued', 'inProgress')
