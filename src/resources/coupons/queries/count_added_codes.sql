SELECT require(EXISTS (SELECT FROM coupon_set WHERE account_id = $1::bigint AND coupon_set_id = $2::uuid),
               'SB001', 'the set was deleted meanwhile'),
       count_coupons($1::bigint, $2::uuid, $3::bigint, $3::bigint, 0, 0)
