-- Locks the contact that others are about to be merged into. Raises a conflict when its version has changed or
-- another writer has locked it.
WITH mine AS (
  SELECT FROM contact
   WHERE account_id = $1::bigint AND contact_id = $2::uuid AND version = $3::bigint
     FOR NO KEY UPDATE SKIP LOCKED
)
SELECT require(EXISTS (SELECT FROM mine), 'SB001', 'the contact has changed meanwhile')
