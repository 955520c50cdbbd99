SELECT currency FROM account WHERE account_id = $1::bigint
