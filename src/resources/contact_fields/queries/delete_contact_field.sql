WITH gone AS (
  DELETE FROM contact_field
   WHERE account_id = $1::bigint AND id = $2 AND version = $3::bigint
  RETURNING number
), noted AS (
  INSERT INTO dropped_contact_field (account_id, number) SELECT $1::bigint, number FROM gone
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the field has changed meanwhile')
