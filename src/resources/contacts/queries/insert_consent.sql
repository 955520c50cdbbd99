INSERT INTO consent (account_id, contact_id, channel, status, at, source, ip, user_agent, wording, method)
VALUES ($1::bigint, $2::uuid, $3, $4, $5::timestamptz, $6, $7, $8, $9, $10)
ON CONFLICT DO NOTHING
