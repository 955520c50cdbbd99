WITH mine AS (
  SELECT FROM purchase
   WHERE account_id = $1::bigint AND purchase_id = $2::uuid AND version = $3::bigint
     FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM purchase
   WHERE account_id = $1::bigint AND purchase_id = $2::uuid AND EXISTS (SELECT FROM mine)
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the purchase has changed meanwhile')
