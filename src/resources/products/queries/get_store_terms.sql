SELECT currency, domains FROM account WHERE account_id = $1::bigint
