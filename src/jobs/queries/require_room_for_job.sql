SELECT require(count(*) < $3::bigint, 'SB001', 'the limit was reached meanwhile') FROM job
 WHERE account_id = $1::bigint AND kind = $2 AND state IN ('queued', 'inProgress')
