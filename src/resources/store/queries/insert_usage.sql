INSERT INTO store_usage (account_id) VALUES ($1::bigint)
