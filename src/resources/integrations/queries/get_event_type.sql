SELECT t.event_type_id, t.integration_id, t.name, t.direction, t.alias, t.fields, t.additional_members, t.url,
       t.headers, t.version, t.created_at, t.updated_at, w.state, w.reason, w.failing_since
  FROM event_type t
  LEFT JOIN webhook w ON w.account_id = t.account_id AND w.webhook_id = t.event_type_id
 WHERE t.account_id = $1::bigint AND t.event_type_id = $2::uuid
