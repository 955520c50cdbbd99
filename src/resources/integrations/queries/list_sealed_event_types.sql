SELECT event_type_id AS owner, version, headers, signing_secret, previous_signing_secret
  FROM event_type
 WHERE account_id = $1::bigint AND ($2::uuid IS NULL OR event_type_id > $2::uuid)
 ORDER BY event_type_id
 LIMIT $3::bigint
