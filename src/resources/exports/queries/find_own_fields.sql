SELECT id FROM contact_field WHERE account_id = $1::bigint AND id = ANY ($2::text[])
