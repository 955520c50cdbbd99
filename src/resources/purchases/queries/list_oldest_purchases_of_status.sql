-- A page has at most 501 rows. The plan is made without the values, and without that number it would be one for many.
SELECT * FROM (
  SELECT * FROM purchase
   WHERE account_id = $1::bigint
     AND status = $7
     AND (purchased_at, purchase_id) > (coalesce($2::timestamptz, '-infinity'), coalesce($3::uuid, '00000000-0000-0000-0000-000000000000'))
     AND purchased_at >= coalesce($4::timestamptz, '-infinity') AND purchased_at < coalesce($5::timestamptz, 'infinity')
   ORDER BY purchased_at ASC, purchase_id ASC
   LIMIT 501
) AS page
 LIMIT $6::bigint
