INSERT INTO consent (account_id, contact_id, channel, at, status, source, ip, user_agent, wording, method, received_at)
SELECT account_id, $3::uuid, channel, at, status, source, ip, user_agent, wording, method, received_at
  FROM consent
 WHERE account_id = $1::bigint AND contact_id = $2::uuid
ON CONFLICT DO NOTHING
