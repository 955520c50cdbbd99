SELECT count(*) AS sets FROM coupon_set WHERE account_id = $1::bigint
