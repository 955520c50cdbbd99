SELECT outcome, code FROM claim_coupon($1::bigint, $2::uuid, $3::uuid, $4::uuid, $5::uuid)
