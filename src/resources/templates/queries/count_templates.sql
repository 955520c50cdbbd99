SELECT count(*) AS templates FROM template WHERE account_id = $1::bigint
