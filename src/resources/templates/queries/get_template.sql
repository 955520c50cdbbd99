SELECT template_id, alias, name, published_version, draft_version, version, created_at, updated_at,
       workflows_using($1::bigint, NULL, NULL, template_id, NULL) AS used_by
  FROM template
 WHERE account_id = $1::bigint AND (alias = $2 OR template_id = $3::uuid)
