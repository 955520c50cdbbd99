SELECT * FROM shown_contact WHERE account_id = $1::bigint AND email_key = $2
