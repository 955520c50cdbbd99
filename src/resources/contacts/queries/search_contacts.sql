SELECT * FROM shown_contact
 WHERE account_id = $1::bigint
   AND contact_id IN (
     SELECT contact_id FROM contact WHERE account_id = $1::bigint AND email_key >= $9 AND email_key < $10
     UNION ALL
     SELECT contact_id FROM contact WHERE account_id = $1::bigint AND name_key >= $9 AND name_key < $10
     UNION ALL
     SELECT contact_id FROM contact WHERE account_id = $1::bigint AND surname_key >= $9 AND surname_key < $10)
   AND ($2::uuid IS NULL OR CASE WHEN $8::boolean THEN contact_id > $2::uuid ELSE contact_id < $2::uuid END)
   AND ($3::timestamptz IS NULL OR updated_at > $3::timestamptz)
   AND contact_has($1::bigint, contact_id, $4::bigint[], $5::text[], $6::boolean[])
 ORDER BY CASE WHEN $8::boolean THEN contact_id END, contact_id DESC
 LIMIT $7::bigint
