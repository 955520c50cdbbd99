SELECT s.*
  FROM contact_facet f
  JOIN shown_contact s ON s.account_id = f.account_id AND s.contact_id = f.contact_id
 WHERE f.account_id = $1::bigint AND f.facet = $8::bigint AND f.value = $9
   AND ($2::uuid IS NULL OR f.contact_id > $2::uuid)
   AND ($3::timestamptz IS NULL OR s.updated_at > $3::timestamptz)
   AND contact_has($1::bigint, f.contact_id, $4::bigint[], $5::text[], $6::boolean[])
 ORDER BY f.contact_id ASC
 LIMIT $7::bigint
