INSERT INTO audit (account_id, audit_id, at, actor, actor_id, operation, object, members, request_id, address)
VALUES ($1::bigint, $2::uuid, $3::timestamptz, $4, $5::uuid, $6, $7, $8::text[], $9, $10)
