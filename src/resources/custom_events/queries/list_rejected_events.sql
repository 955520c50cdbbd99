-- order: [newest|oldest]
SELECT id, event_type_id, received_at, rejected_at, code, problem, message
  FROM rejected_event
 WHERE account_id = $1::bigint
   AND ($2::uuid IS NULL OR id [<|>] $2::uuid)
 ORDER BY id [DESC|ASC]
 LIMIT $3::bigint
