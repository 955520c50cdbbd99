-- A page has at most 501 rows. The plan is made without the values, and without that number it would be one for many.
SELECT * FROM (
  SELECT * FROM product
   WHERE account_id = $1::bigint
     AND product_id < CASE WHEN $2::uuid IS NULL THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff' ELSE $2::uuid END
   ORDER BY product_id DESC
   LIMIT 501
) AS page
 LIMIT $3::bigint
