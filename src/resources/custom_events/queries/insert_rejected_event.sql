INSERT INTO rejected_event (account_id, id, event_type_id, received_at, code, problem, message, identifiers)
VALUES ($1::bigint, $2::uuid, $3::uuid, $4::timestamptz, $5, $6::json, $7::json, $8::bytea[])
ON CONFLICT DO NOTHING
