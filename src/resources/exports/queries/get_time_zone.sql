SELECT time_zone FROM account WHERE account_id = $1::bigint
