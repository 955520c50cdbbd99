-- A page has at most 501 rows. The plan is made without the values, and without that number it would be one for many.
SELECT * FROM (
  SELECT * FROM shown_contact
   WHERE account_id = $1::bigint
     AND contact_id < CASE WHEN $2::uuid IS NULL THEN 'ffffffff-ffff-ffff-ffff-ffffffffffff' ELSE $2::uuid END
     AND ($3::timestamptz IS NULL OR updated_at > $3::timestamptz)
     AND contact_has($1::bigint, contact_id, $4::bigint[], $5::text[], $6::boolean[])
   ORDER BY contact_id DESC
   LIMIT 501
) AS page
 LIMIT $7::bigint
