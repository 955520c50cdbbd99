SELECT coalesce((SELECT version FROM event_type_counter WHERE account_id = $1::bigint), 0) AS version
