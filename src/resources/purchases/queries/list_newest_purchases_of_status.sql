-- A page has at most 501 rows. The plan is made without the values, and without that number it would be one for many.
SELECT * FROM (
  SELECT * FROM purchase
   WHERE account_id = $1::bigint
     AND status = $7
     AND (purchased_at, purchase_id) < (CASE WHEN $2::timestamptz IS NULL THEN 'infinity' ELSE $2::timestamptz END,
                                        CASE WHEN $3::uuid IS NULL THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff' ELSE $3::uuid END)
     AND purchased_at >= CASE WHEN $4::timestamptz IS NULL THEN '-infinity' ELSE $4::timestamptz END
     AND purchased_at < CASE WHEN $5::timestamptz IS NULL THEN 'infinity' ELSE $5::timestamptz END
   ORDER BY purchased_at DESC, purchase_id DESC
   LIMIT 501
) AS page
 LIMIT $6::bigint
