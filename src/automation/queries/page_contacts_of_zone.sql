-- timeout: 4000ms
-- The next contacts of one time zone.
SELECT contact_id FROM contact
 WHERE account_id = $1::bigint AND time_zone = $4 AND ($2::uuid IS NULL OR contact_id > $2::uuid)
 ORDER BY contact_id
 LIMIT $3::bigint
