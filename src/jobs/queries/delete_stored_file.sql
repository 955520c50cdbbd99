DELETE FROM stored_file WHERE account_id = $1::bigint AND name = $2
