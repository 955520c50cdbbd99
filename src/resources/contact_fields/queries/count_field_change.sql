UPDATE contact_field_counter SET version = version + 1 WHERE account_id = $1::bigint
