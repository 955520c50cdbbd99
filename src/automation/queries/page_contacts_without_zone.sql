-- timeout: 4000ms
SELECT contact_id FROM contact
 WHERE account_id = $1::bigint AND time_zone IS NULL AND ($2::uuid IS NULL OR contact_id > $2::uuid)
 ORDER BY contact_id
 LIMIT $3::bigint
