-- By name, whatever the order of the page: what begins alike stands together. $2 and $3 are where the page before ended.
-- A page has at most 501 rows. The plan is made without the values, and without that number it would be one for many.
SELECT * FROM (
  SELECT * FROM product
   WHERE account_id = $1::bigint
     AND name_key >= $4 AND name_key < $5
     AND (name_key, product_id) > (CASE WHEN $2::text IS NULL THEN '' ELSE $2::text END,
                                   CASE WHEN $3::uuid IS NULL THEN '00000000-0000-0000-0000-000000000000' ELSE $3::uuid END)
   ORDER BY name_key, product_id
   LIMIT 501
) AS page
 LIMIT $6::bigint
