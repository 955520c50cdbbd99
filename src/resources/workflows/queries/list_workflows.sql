-- order: [newest|oldest]
SELECT w.workflow_id, w.alias, w.name, w.status, w.active_version, w.draft_version, w.activated_at, w.finished_at, w.version,
       w.created_at, w.updated_at, v.definition, a.currency
  FROM workflow w
  JOIN account a USING (account_id)
  JOIN workflow_version v ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id
                         AND v.version = coalesce(w.active_version, w.draft_version)
 WHERE w.account_id = $1::bigint
   AND ($2::uuid IS NULL OR w.workflow_id [<|>] $2::uuid)
   AND ($3::text IS NULL OR w.status = $3)
 ORDER BY w.workflow_id [DESC|ASC]
 LIMIT $4::bigint
