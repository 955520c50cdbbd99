-- No message of the run has a lower id than $4, the lowest id of the run's time.
SELECT message_id, node, template, class, state, reason, planned_at, due_at, ended_at
  FROM message
 WHERE account_id = $1::bigint AND contact_id = $2::uuid AND run_id = $3::uuid AND message_id >= $4::uuid
 ORDER BY message_id
 LIMIT 500
