-- Rows are always ordered by name, so that an index on the prefix serves the query. $2 and $3 are the cursor.
-- LIMIT 501, the largest page, is a constant: a generic plan does not know the limit's value and would expect many rows.
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
