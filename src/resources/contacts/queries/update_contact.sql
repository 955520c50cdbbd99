-- This update never waits for another writer of the same contact: a locked row is a conflict.
WITH mine AS (
  SELECT FROM contact
   WHERE account_id = $1::bigint AND contact_id = $2::uuid AND version = $3::bigint
     FOR NO KEY UPDATE SKIP LOCKED
), changed AS (
  UPDATE contact
     SET version = version + 1, {assignments}  -- filled in from contact_columns.cc
   WHERE account_id = $1::bigint AND contact_id = $2::uuid AND EXISTS (SELECT FROM mine)
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the contact has changed meanwhile')
