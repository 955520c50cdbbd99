SELECT d.id, d.event_uid, d.received_at, d.kind, d.contact_id, d.sequence, d.state, d.due_at, d.sender, d.attempts,
       d.ended_at, d.status, d.trouble, c.head IS NOT NULL AS others_first
  FROM webhook_delivery d
  LEFT JOIN webhook_chain c USING (account_id, webhook_id, lane, contact_id)
 WHERE d.account_id = $1::bigint AND d.webhook_id = $2::uuid AND d.event_uid = $3::uuid
