INSERT INTO coupon_set (account_id, coupon_set_id, lane, alias, name, kind, code, valid_from, expires_at, low_watermark,
                        created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3::smallint, $4, $5, $6, $7, $8::timestamptz, $9::timestamptz, $10::bigint,
        $11::timestamptz, $11::timestamptz)
