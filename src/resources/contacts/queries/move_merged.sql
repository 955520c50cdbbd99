UPDATE merged_contact SET into_id = $3::uuid WHERE account_id = $1::bigint AND into_id = $2::uuid
