SELECT tell_low_coupon_sets($1::integer) AS count
