-- Codes that were assigned to the contact or redeemed by it, without data of other contacts.
SELECT g.code, g."couponSet", CASE WHEN g.what = 'assigned' THEN {at} END AS "assignedAt",
       CASE WHEN g.what = 'redeemed' THEN {at} END AS "redeemedAt", g.purchase AS "purchaseId", g.by_other AS "byOther"
  FROM (SELECT t.claimed_at AS at, 'assigned' AS what, NULL AS purchase, NULL::boolean AS by_other,
               coalesce(c.code, t.code_key) AS code, s.alias AS "couponSet"
          FROM coupon_claim t
          LEFT JOIN coupon c
                 ON c.account_id = t.account_id AND c.code_key = t.code_key AND c.coupon_set_id = t.coupon_set_id
          LEFT JOIN coupon_set s ON s.account_id = t.account_id AND s.coupon_set_id = t.coupon_set_id
         WHERE t.account_id = {account} AND t.contact_id = {contact}::uuid
        UNION ALL
        SELECT t.redeemed_at, 'redeemed', p.store_id, t.by_other, coalesce(c.code, t.code_key) AS code,
               s.alias AS "couponSet"
          FROM coupon_redemption t
          LEFT JOIN coupon c
                 ON c.account_id = t.account_id AND c.code_key = t.code_key AND c.coupon_set_id = t.coupon_set_id
          LEFT JOIN coupon_set s ON s.account_id = t.account_id AND s.coupon_set_id = t.coupon_set_id
          LEFT JOIN purchase p ON p.account_id = t.account_id AND p.purchase_id = t.purchase_id
         WHERE t.account_id = {account} AND t.contact_id = {contact}::uuid) AS g
 ORDER BY g.at, g.code, g.what
