SELECT live_account_id IS NOT NULL AS is_test FROM account WHERE account_id = $1::bigint
