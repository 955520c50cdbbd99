-- order: [newest|oldest]
-- LIMIT 501, the largest page, is a constant: a generic plan does not know the limit's value and would expect many rows.
SELECT * FROM (
  SELECT * FROM shown_purchase
   WHERE account_id = $1::bigint
     AND contact_id = $7::uuid AND ($8::text IS NULL OR status = $8)
     AND (purchased_at, purchase_id) [<|>] (CASE WHEN $2::timestamptz IS NULL THEN ['infinity'|'-infinity'] ELSE $2::timestamptz END,
                                        CASE WHEN $3::uuid IS NULL THEN ['ffffffff-ffff-ffff-ffff-ffffffffffff'|'00000000-0000-0000-0000-000000000000'] ELSE $3::uuid END)
     AND purchased_at >= CASE WHEN $4::timestamptz IS NULL THEN '-infinity' ELSE $4::timestamptz END
     AND purchased_at < CASE WHEN $5::timestamptz IS NULL THEN 'infinity' ELSE $5::timestamptz END
   ORDER BY purchased_at [DESC|ASC], purchase_id [DESC|ASC]
   LIMIT 501
) AS page
 LIMIT $6::bigint
