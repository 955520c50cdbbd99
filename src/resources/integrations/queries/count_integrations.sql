SELECT count(*) AS integrations FROM integration WHERE account_id = $1::bigint
