SELECT account_id, reader, uid, kind, reason, parked_at FROM log_parked ORDER BY parked_at DESC LIMIT $1::bigint
