-- order: [newest|oldest]
SELECT i.integration_id, i.name, i.description, i.color, i.image_url, i.events_enabled, i.version, i.created_at, i.updated_at,
       (SELECT count(*) FROM event_type t
         WHERE t.account_id = i.account_id AND t.integration_id = i.integration_id) AS event_types
  FROM integration i
 WHERE i.account_id = $1::bigint
   AND ($2::uuid IS NULL OR i.integration_id [<|>] $2::uuid)
 ORDER BY i.integration_id [DESC|ASC]
 LIMIT $3::bigint
