-- order: [newest|oldest]
SELECT coupon_set_id, alias, name, kind, code, valid_from, expires_at, low_watermark, version, created_at, updated_at, total,
       available, assigned, redeemed, used_in_workflows
  FROM shown_coupon_set
 WHERE account_id = $1::bigint
   AND ($2::uuid IS NULL OR coupon_set_id [<|>] $2::uuid)
 ORDER BY coupon_set_id [DESC|ASC]
 LIMIT $3::bigint
