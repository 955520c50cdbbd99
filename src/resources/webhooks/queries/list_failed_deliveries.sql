-- order: [newest|oldest]
SELECT id, event_uid, received_at, kind, contact_id, sequence, state, due_at, sender, attempts, ended_at, status, trouble
  FROM webhook_delivery
 WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND state = 'failed'
   AND ($3::bigint IS NULL OR id [<|>] $3::bigint)
 ORDER BY id [DESC|ASC]
 LIMIT $4::bigint
