SELECT id, type, options FROM contact_field WHERE account_id = $1::bigint
