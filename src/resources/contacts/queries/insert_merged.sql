INSERT INTO merged_contact (account_id, contact_id, lane, into_id) VALUES ($1::bigint, $2::uuid, $3::smallint, $4::uuid)
