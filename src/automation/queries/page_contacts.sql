-- timeout: 4000ms
-- The next contacts of an account, for a schedule in the store's time zone.
SELECT contact_id FROM contact
 WHERE account_id = $1::bigint AND ($2::uuid IS NULL OR contact_id > $2::uuid)
 ORDER BY contact_id
 LIMIT $3::bigint
