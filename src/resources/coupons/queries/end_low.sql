-- Resets is_low once more codes than the low watermark are available; the next shortage then sends an event again.
UPDATE coupon_set s
   SET is_low = false
 WHERE s.account_id = $1::bigint AND s.coupon_set_id = $2::uuid AND s.is_low
   AND coalesce(s.low_watermark, -1) < (SELECT coalesce(sum(k.available), 0) FROM coupon_slot k
                                         WHERE k.account_id = s.account_id AND k.coupon_set_id = s.coupon_set_id)
