-- Reads the purchase for a write, with the first and last time of its contact's other purchases. These become the
-- contact's firstAt and lastAt when this purchase is deleted or gets another contact.
SELECT p.*,
       (SELECT o.purchased_at FROM purchase o
         WHERE o.account_id = p.account_id AND o.contact_id = p.contact_id AND o.purchase_id <> p.purchase_id
           AND o.status <> 'cancelled'
         ORDER BY o.purchased_at, o.purchase_id LIMIT 1) AS others_first,
       (SELECT o.purchased_at FROM purchase o
         WHERE o.account_id = p.account_id AND o.contact_id = p.contact_id AND o.purchase_id <> p.purchase_id
           AND o.status <> 'cancelled'
         ORDER BY o.purchased_at DESC, o.purchase_id DESC LIMIT 1) AS others_last
  FROM shown_purchase p
 WHERE p.account_id = $1::bigint
   AND p.purchase_id = CASE WHEN $2::uuid IS NOT NULL THEN $2::uuid
         ELSE (SELECT purchase_id FROM purchase WHERE account_id = $1::bigint AND store_id = $3) END
