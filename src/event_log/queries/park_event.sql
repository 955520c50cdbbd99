INSERT INTO log_parked (account_id, reader, event_id, received_at, uid, kind, reason)
VALUES ($1::bigint, $2, $3::bigint, $4::timestamptz, $5::uuid, $6, $7)
ON CONFLICT DO NOTHING
