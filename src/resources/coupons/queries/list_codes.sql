-- order: [newest|oldest]
SELECT c.number, c.code, c.added_at, c.redeemed, c.claim_id IS NOT NULL AS assigned, k.contact_id, k.claimed_at,
       r.redeemed_at, r.by_other
  FROM coupon c
  LEFT JOIN coupon_claim k ON k.account_id = c.account_id AND k.claim_id = c.claim_id
  LEFT JOIN coupon_redemption r
         ON c.redeemed AND r.account_id = c.account_id AND r.code_key = c.code_key AND r.coupon_set_id = c.coupon_set_id
 WHERE c.account_id = $1::bigint AND c.coupon_set_id = $2::uuid
   AND c.number [<|>] CASE WHEN $3::bigint IS NULL THEN [9223372036854775807|0] ELSE $3::bigint END
 ORDER BY c.number [DESC|ASC]
 LIMIT $4::bigint
