-- Without the endpoints of event types, which follow their types.
SELECT webhook_id AS owner, version, headers, signing_secret, previous_signing_secret
  FROM webhook
 WHERE account_id = $1::bigint AND event_type IS NULL AND ($2::uuid IS NULL OR webhook_id > $2::uuid)
 ORDER BY webhook_id
 LIMIT $3::bigint
