-- order: [newest|oldest]
SELECT id, event_uid, received_at, kind, contact_id, sequence, state, due_at, sender, attempts, ended_at, status, trouble
  FROM webhook_delivery
 WHERE account_id = $1::bigint AND webhook_id = $2::uuid
   AND ($3::text IS NULL
        OR $3::text = CASE WHEN ended_at IS NOT NULL THEN state WHEN sender IS NULL THEN 'waiting' ELSE 'sending' END)
   AND ($4::bigint IS NULL OR id [<|>] $4::bigint)
 ORDER BY id [DESC|ASC]
 LIMIT $5::bigint
