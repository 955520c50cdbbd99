SELECT EXISTS (SELECT FROM purchase WHERE account_id = $1::bigint) AS has_purchases
