-- timeout: 4000ms
INSERT INTO coupon (account_id, code_key, coupon_set_id, code, shared, added_at)
SELECT $1::bigint, new.key, $2::uuid, new.code, $5::boolean, $6::timestamptz
  FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS new (key, code, place)
 ORDER BY place
