WITH changed AS (
  UPDATE integration
     SET name = $4, description = $5, color = $6, image_url = $7, events_enabled = $8::boolean,
         updated_at = $9::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND integration_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the integration has changed meanwhile')
