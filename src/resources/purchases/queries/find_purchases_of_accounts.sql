-- timeout: 4000ms
-- Purchases of many accounts by the store's ids, for the lanes.
SELECT n.number, p.*
  FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS n (account_id, store_id, number)
 CROSS JOIN LATERAL (SELECT * FROM shown_purchase
                      WHERE account_id = n.account_id AND store_id = n.store_id OFFSET 0) p
