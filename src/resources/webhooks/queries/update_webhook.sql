WITH changed AS (
  UPDATE webhook
     SET url = $4, description = $5, kinds = $6::text[], headers = $7::jsonb, state = $8, reason = $9,
         failing_since = $10::timestamptz,
         rests_until = CASE WHEN $8 <> state THEN NULL ELSE rests_until END,
         enabled_at = CASE WHEN $8 = 'enabled' AND state <> 'enabled' THEN $11::timestamptz ELSE enabled_at END,
         updated_at = $11::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the webhook has changed meanwhile')
