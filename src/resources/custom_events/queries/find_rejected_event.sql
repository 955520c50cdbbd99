SELECT id, event_type_id, received_at, rejected_at, code, problem, message
  FROM rejected_event
 WHERE account_id = $1::bigint AND id = $2::uuid
