coupon c
  JOIN coupon_set s ON s.account_id = c.account_id AND s.coupon_set_id = c.coupon_set_id
  LEFT JOIN coupon_claim k ON k.account_id = c.account_id AND k.claim_id = c.claim_id
  LEFT JOIN coupon_redemption r
         ON c.redeemed AND r.account_id = c.account_id AND r.code_key = c.code_key AND r.coupon_set_id = c.coupon_set_id
