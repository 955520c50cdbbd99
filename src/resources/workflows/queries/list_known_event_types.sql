SELECT event_type_id, direction, alias, fields, additional_members FROM event_type WHERE account_id = $1::bigint
