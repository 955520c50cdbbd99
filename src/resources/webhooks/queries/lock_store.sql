SELECT account_id FROM account WHERE account_id = $1::bigint FOR NO KEY UPDATE
