WITH used AS (
  UPDATE coupon
     SET redeemed = true
   WHERE account_id = $1::bigint AND code_key = $3 AND coupon_set_id = $4::uuid AND NOT redeemed AND NOT shared
     AND claim_id IS NOT DISTINCT FROM $8::uuid
  RETURNING 1
), noted AS (
  INSERT INTO coupon_redemption (account_id, purchase_id, code_key, coupon_set_id, contact_id, by_other, redeemed_at)
  VALUES ($1::bigint, $2::uuid, $3, $4::uuid, $5::uuid, $6::boolean, $7::timestamptz)
)
SELECT require($9::boolean OR EXISTS (SELECT FROM used), 'SB001', 'the coupon was given or used meanwhile'),
       count_coupons($1::bigint, $4::uuid, 0, CASE WHEN $9::boolean OR $8::uuid IS NOT NULL THEN 0 ELSE -1 END, 0, 1)
