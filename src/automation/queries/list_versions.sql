-- timeout: 4000ms
SELECT v.workflow_id, v.version, v.definition
  FROM unnest($2::uuid[], $3::integer[]) AS n (workflow_id, version)
  JOIN workflow_version v ON v.account_id = $1::bigint AND v.workflow_id = n.workflow_id AND v.version = n.version
 WHERE v.published_at IS NOT NULL
