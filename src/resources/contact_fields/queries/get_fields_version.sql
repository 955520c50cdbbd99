SELECT coalesce(max(version), 0) AS fields_version FROM contact_field_counter WHERE account_id = $1::bigint
