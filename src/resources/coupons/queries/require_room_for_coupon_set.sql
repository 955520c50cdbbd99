SELECT require(count(*) < $2::bigint, 'SB001', 'the limit was reached meanwhile') FROM coupon_set WHERE account_id = $1::bigint
