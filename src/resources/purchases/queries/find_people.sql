-- Finds the contacts that the request identifies, and the contact of the stored purchase.
SELECT * FROM shown_contact
 WHERE account_id = $1::bigint
   AND contact_id IN (SELECT contact_id FROM contact WHERE account_id = $1::bigint AND email_key = ANY ($4::text[])
                      UNION
                      SELECT contact_id FROM contact WHERE account_id = $1::bigint AND external_id = ANY ($5::text[])
                      UNION
                      SELECT contact_id FROM purchase WHERE account_id = $1::bigint AND purchase_id = $2::uuid
                      UNION
                      SELECT contact_id FROM purchase WHERE account_id = $1::bigint AND store_id = $3)
