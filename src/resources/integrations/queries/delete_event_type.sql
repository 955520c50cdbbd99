WITH gone AS (
  DELETE FROM event_type
   WHERE account_id = $1::bigint AND event_type_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the event type has changed meanwhile')
