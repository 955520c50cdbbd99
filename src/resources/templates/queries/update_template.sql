WITH changed AS (
  UPDATE template
     SET published_version = $4::integer, draft_version = $5::integer, updated_at = $6::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND template_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the template has changed meanwhile')
