SELECT require(NOT EXISTS (SELECT FROM purchase WHERE account_id = $1::bigint), 'SB001', 'the store has purchases by now')
