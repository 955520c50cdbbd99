SELECT FROM purchase
 WHERE account_id = $1::bigint
   AND purchase_id = CASE WHEN $2::uuid IS NOT NULL THEN $2::uuid
         ELSE (SELECT purchase_id FROM purchase WHERE account_id = $1::bigint AND store_id = $3) END
   FOR NO KEY UPDATE
