SELECT purge_dropped_coupons($1::integer) AS count
