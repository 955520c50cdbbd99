SELECT account_id FROM account WHERE account_id = $1::bigint AND deletion_began_at IS NULL
