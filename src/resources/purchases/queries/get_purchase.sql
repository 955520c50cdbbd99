SELECT * FROM shown_purchase WHERE account_id = $1::bigint AND purchase_id = $2::uuid
