WITH changed AS (
  UPDATE event_type
     SET name = $4, fields = $5::jsonb, url = $6, headers = $7::jsonb, updated_at = $8::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND event_type_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the event type has changed meanwhile')
