SELECT code_key, coupon_set_id, by_other
  FROM coupon_redemption
 WHERE account_id = $1::bigint AND purchase_id = $2::uuid
