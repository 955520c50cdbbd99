UPDATE coupon_claim SET contact_id = $3::uuid WHERE account_id = $1::bigint AND contact_id = $2::uuid
