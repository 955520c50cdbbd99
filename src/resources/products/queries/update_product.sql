-- This update never waits for another writer of the same product: a locked row is a conflict.
WITH mine AS (
  SELECT FROM product
   WHERE account_id = $1::bigint AND product_id = $2::uuid AND version = $3::bigint
     FOR NO KEY UPDATE SKIP LOCKED
), changed AS (
  UPDATE product
     SET version = version + 1, store_id = $4, name_key = $5, data = $6::jsonb, source_updated_at = $7::timestamptz,
         created_at = $8::timestamptz, updated_at = $9::timestamptz
   WHERE account_id = $1::bigint AND product_id = $2::uuid AND EXISTS (SELECT FROM mine)
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the product has changed meanwhile')
