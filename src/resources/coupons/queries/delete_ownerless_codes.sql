-- timeout: 4000ms
-- Deletes codes that deleted sets left behind, before cleanup purges them, so that another set can use the codes.
DELETE FROM coupon c
 WHERE c.account_id = $1::bigint AND c.code_key = ANY ($2::text[])
   AND NOT EXISTS (SELECT FROM coupon_set s WHERE s.account_id = c.account_id AND s.coupon_set_id = c.coupon_set_id)
