SELECT coalesce(max(version), 0) AS definitions_version FROM event_type_counter WHERE account_id = $1::bigint
