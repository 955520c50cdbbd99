-- order: [newest|oldest]
-- LIMIT 501, the largest page, is a constant: a generic plan does not know the limit's value and would expect many rows.
SELECT * FROM (
  SELECT * FROM product
   WHERE account_id = $1::bigint
     AND product_id [<|>] CASE WHEN $2::uuid IS NULL THEN ['ffffffff-ffff-ffff-ffff-ffffffffffff'|'00000000-0000-0000-0000-000000000000'] ELSE $2::uuid END
   ORDER BY product_id [DESC|ASC]
   LIMIT 501
) AS page
 LIMIT $3::bigint
