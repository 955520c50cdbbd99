UPDATE purchase SET contact_id = $3::uuid, lane = $4::smallint
 WHERE account_id = $1::bigint AND contact_id = $2::uuid
