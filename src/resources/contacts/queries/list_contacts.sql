-- order: [newest|oldest]
-- LIMIT 501, the largest page, is a constant: a generic plan does not know the limit's value and would expect many rows.
SELECT * FROM (
  SELECT * FROM shown_contact
   WHERE account_id = $1::bigint
     AND contact_id [<|>] CASE WHEN $2::uuid IS NULL THEN ['ffffffff-ffff-ffff-ffff-ffffffffffff'|'00000000-0000-0000-0000-000000000000'] ELSE $2::uuid END
     AND ($3::timestamptz IS NULL OR updated_at > $3::timestamptz)
     AND contact_has($1::bigint, contact_id, $4::bigint[], $5::text[], $6::boolean[])
   ORDER BY contact_id [DESC|ASC]
   LIMIT 501
) AS page
 LIMIT $7::bigint
