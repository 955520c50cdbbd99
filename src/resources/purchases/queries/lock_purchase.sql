SELECT FROM purchase
 WHERE account_id = $1::bigint
   AND purchase_id = coalesce($2::uuid, (SELECT purchase_id FROM purchase WHERE account_id = $1::bigint AND store_id = $3))
   FOR NO KEY UPDATE
