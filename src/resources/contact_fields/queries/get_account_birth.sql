SELECT created_at FROM account WHERE account_id = $1::bigint
