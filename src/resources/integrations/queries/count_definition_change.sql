INSERT INTO event_type_counter AS c (account_id) VALUES ($1::bigint)
ON CONFLICT (account_id) DO UPDATE SET version = c.version + 1
