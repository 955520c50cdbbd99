SELECT c.code_key, c.code, c.coupon_set_id, s.alias, c.shared, c.redeemed, c.claim_id, k.contact_id, k.run_id
  FROM coupon c
  JOIN coupon_set s USING (account_id, coupon_set_id)
  LEFT JOIN coupon_claim k ON k.account_id = c.account_id AND k.claim_id = c.claim_id
 WHERE c.account_id = $1::bigint AND c.code_key = ANY ($2::text[])
