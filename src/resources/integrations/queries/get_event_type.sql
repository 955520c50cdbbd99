SELECT event_type_id, integration_id, name, direction, alias, fields, additional_members, url, headers, version, created_at, updated_at
  FROM event_type
 WHERE account_id = $1::bigint AND event_type_id = $2::uuid
