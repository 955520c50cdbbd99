SELECT require((SELECT currency FROM account WHERE account_id = $1::bigint) = $2, 'SB001', 'the store has another currency')
