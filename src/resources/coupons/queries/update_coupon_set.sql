WITH changed AS (
  UPDATE coupon_set
     SET name = $4, valid_from = $5::timestamptz, expires_at = $6::timestamptz, low_watermark = $7::bigint,
         updated_at = $8::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND coupon_set_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the set has changed meanwhile')
