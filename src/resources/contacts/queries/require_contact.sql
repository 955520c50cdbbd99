-- For whom others become part of, before they do: it is as it was read, and nobody takes it away meanwhile.
WITH mine AS (
  SELECT FROM contact
   WHERE account_id = $1::bigint AND contact_id = $2::uuid AND version = $3::bigint
     FOR NO KEY UPDATE SKIP LOCKED
)
SELECT require(EXISTS (SELECT FROM mine), 'SB001', 'the contact has changed meanwhile')
