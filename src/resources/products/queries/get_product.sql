SELECT * FROM product WHERE account_id = $1::bigint AND product_id = $2::uuid
