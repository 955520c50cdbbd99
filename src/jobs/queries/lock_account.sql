SELECT FROM account WHERE account_id = $1::bigint FOR NO KEY UPDATE
