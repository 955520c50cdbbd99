SELECT * FROM shown_purchase WHERE account_id = $1::bigint AND store_id = $2
