SELECT FROM product
 WHERE account_id = $1::bigint AND (product_id = $2::uuid OR store_id = $3)
   FOR NO KEY UPDATE
