SELECT count(*) AS webhooks FROM webhook WHERE account_id = $1::bigint AND event_type IS NULL
