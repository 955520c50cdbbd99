-- order: [newest|oldest]
SELECT event_type_id, integration_id, name, direction, alias, fields, additional_members, url, headers, version, created_at, updated_at
  FROM event_type
 WHERE account_id = $1::bigint AND integration_id = $2::uuid
   AND ($3::uuid IS NULL OR event_type_id [<|>] $3::uuid)
 ORDER BY event_type_id [DESC|ASC]
 LIMIT $4::bigint
