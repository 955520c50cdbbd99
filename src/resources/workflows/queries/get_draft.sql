SELECT w.workflow_id, w.alias, w.name, w.status, w.active_version, w.draft_version, w.activated_at, w.finished_at, w.version,
       w.created_at, w.updated_at, v.definition, a.currency
  FROM workflow w
  JOIN account a USING (account_id)
  JOIN workflow_version v ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id
                         AND v.version = w.draft_version
 WHERE w.account_id = $1::bigint AND (w.alias = $2 OR w.workflow_id = $3::uuid)
