SELECT FROM contact
 WHERE account_id = $1::bigint
   AND contact_id IN (SELECT contact_id FROM contact WHERE account_id = $1::bigint AND email_key = ANY ($2::text[])
                      UNION
                      SELECT contact_id FROM contact WHERE account_id = $1::bigint AND external_id = ANY ($3::text[])
                      UNION
                      SELECT unnest($4::uuid[]))
 ORDER BY contact_id
   FOR NO KEY UPDATE
