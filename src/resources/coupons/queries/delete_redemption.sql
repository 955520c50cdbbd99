WITH gone AS (
  DELETE FROM coupon_redemption
   WHERE account_id = $1::bigint AND purchase_id = $2::uuid AND code_key = $3
  RETURNING code_key, coupon_set_id
), freed AS (
  UPDATE coupon c
     SET redeemed = false
    FROM gone
   WHERE c.account_id = $1::bigint AND c.code_key = gone.code_key AND c.coupon_set_id = gone.coupon_set_id AND c.redeemed
  RETURNING c.claim_id
)
SELECT count_coupons($1::bigint, s.coupon_set_id, 0,
                     CASE WHEN EXISTS (SELECT FROM freed WHERE claim_id IS NULL) THEN 1 ELSE 0 END, 0, -1)
  FROM gone
  JOIN coupon_set s ON s.account_id = $1::bigint AND s.coupon_set_id = gone.coupon_set_id
