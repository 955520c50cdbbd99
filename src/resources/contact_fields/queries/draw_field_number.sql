INSERT INTO contact_field_counter AS c (account_id, last_number) VALUES ($1::bigint, 1)
ON CONFLICT (account_id) DO UPDATE SET last_number = c.last_number + 1, version = c.version + 1
