SELECT * FROM shown_contact WHERE account_id = $1::bigint AND external_id = $2
