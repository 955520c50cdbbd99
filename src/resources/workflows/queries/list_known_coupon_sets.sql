SELECT coupon_set_id AS id, alias FROM coupon_set WHERE account_id = $1::bigint
