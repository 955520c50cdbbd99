SELECT * FROM shown_contact
 WHERE account_id = $1::bigint
   AND ($2::uuid IS NULL OR contact_id > $2::uuid)
   AND ($3::timestamptz IS NULL OR updated_at > $3::timestamptz)
   AND contact_has($1::bigint, contact_id, $4::bigint[], $5::text[], $6::boolean[])
 ORDER BY contact_id ASC
 LIMIT $7::bigint
