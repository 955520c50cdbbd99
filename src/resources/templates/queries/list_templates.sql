-- order: [newest|oldest]
SELECT template_id, alias, name, published_version, draft_version, version, created_at, updated_at
  FROM template
 WHERE account_id = $1::bigint
   AND ($2::uuid IS NULL OR template_id [<|>] $2::uuid)
 ORDER BY template_id [DESC|ASC]
 LIMIT $3::bigint
