-- order: [newest|oldest]
SELECT version, created_at, published_at
  FROM template_version
 WHERE account_id = $1::bigint AND template_id = $2::uuid
   AND ($3::integer IS NULL OR version [<|>] $3::integer)
 ORDER BY version [DESC|ASC]
 LIMIT $4::bigint
