SELECT c.code_key, s.alias
  FROM coupon c
  JOIN coupon_set s USING (account_id, coupon_set_id)
 WHERE c.account_id = $1::bigint AND c.code_key = ANY ($2::text[])
