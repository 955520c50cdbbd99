-- This update never waits for another writer of the same purchase: a locked row is a conflict.
WITH mine AS (
  SELECT FROM purchase
   WHERE account_id = $1::bigint AND purchase_id = $2::uuid AND version = $3::bigint
     FOR NO KEY UPDATE SKIP LOCKED
), changed AS (
  UPDATE purchase
     SET version = version + 1, store_id = $4, contact_id = $5::uuid, lane = $6::smallint, purchased_at = $7::timestamptz,
         status = $8, currency = $9, net_total = $10::numeric, store_amount = $11::numeric, data = $12::jsonb,
         content_hash = $13::bytea, told = $14::text[], source_updated_at = $15::timestamptz,
         created_at = $16::timestamptz, updated_at = $17::timestamptz
   WHERE account_id = $1::bigint AND purchase_id = $2::uuid AND EXISTS (SELECT FROM mine)
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the purchase has changed meanwhile')
