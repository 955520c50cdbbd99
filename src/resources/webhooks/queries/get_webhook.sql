SELECT webhook_id, url, description, kinds, headers, state, reason, failing_since, replay_from, replay_to, version, created_at,
       updated_at
  FROM webhook
 WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND event_type IS NULL
