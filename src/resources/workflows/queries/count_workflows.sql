SELECT count(*) AS workflows FROM workflow WHERE account_id = $1::bigint
