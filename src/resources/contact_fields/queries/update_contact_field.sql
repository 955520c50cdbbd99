WITH changed AS (
  UPDATE contact_field
     SET name = $4, options = $5::json, max_length = $6::integer, min = $7::json, max = $8::json,
         updated_at = $9::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND id = $2 AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the field has changed meanwhile')
