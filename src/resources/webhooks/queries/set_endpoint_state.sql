-- Enables or disables the endpoint of an event type.
UPDATE webhook
   SET state = $3, reason = $4, failing_since = NULL, rests_until = NULL,
       enabled_at = CASE WHEN $3 = 'enabled' THEN $5::timestamptz ELSE enabled_at END,
       updated_at = $5::timestamptz, version = version + 1
 WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND event_type IS NOT NULL
