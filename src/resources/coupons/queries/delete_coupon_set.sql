WITH gone AS (
  DELETE FROM coupon_set
   WHERE account_id = $1::bigint AND coupon_set_id = $2::uuid AND version = $3::bigint
  RETURNING coupon_set_id
), noted AS (
  INSERT INTO dropped_coupon_set (account_id, coupon_set_id) SELECT $1::bigint, coupon_set_id FROM gone
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the set has changed meanwhile')
