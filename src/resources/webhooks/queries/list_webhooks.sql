-- order: [newest|oldest]
SELECT webhook_id, url, description, kinds, headers, state, reason, failing_since, replay_from, replay_to, version, created_at,
       updated_at
  FROM webhook
 WHERE account_id = $1::bigint AND event_type IS NULL
   AND ($2::uuid IS NULL OR webhook_id [<|>] $2::uuid)
 ORDER BY webhook_id [DESC|ASC]
 LIMIT $3::bigint
