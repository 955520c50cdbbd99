SELECT * FROM shown_contact
 WHERE account_id = $1::bigint
   AND contact_id IN (SELECT contact_id FROM contact WHERE account_id = $1::bigint AND updated_at > $3::timestamptz)
   AND ($2::uuid IS NULL OR CASE WHEN $8::boolean THEN contact_id > $2::uuid ELSE contact_id < $2::uuid END)
   AND contact_has($1::bigint, contact_id, $4::bigint[], $5::text[], $6::boolean[])
 ORDER BY CASE WHEN $8::boolean THEN contact_id END, contact_id DESC
 LIMIT $7::bigint
