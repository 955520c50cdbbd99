SELECT FROM account WHERE account_id = $1::bigint OR live_account_id = $1::bigint ORDER BY account_id FOR UPDATE
