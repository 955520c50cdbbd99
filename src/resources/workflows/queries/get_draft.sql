SELECT w.workflow_id, w.alias, w.name, w.status, w.active_version, w.draft_version, w.activated_at, w.finished_at, w.version,
       w.created_at, w.updated_at, v.definition, a.currency, s.*
  FROM workflow w
  JOIN account a USING (account_id)
  JOIN workflow_version v ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id
                         AND v.version = w.draft_version
  CROSS JOIN LATERAL (SELECT coalesce(sum(n.people) FILTER (WHERE n.counter = 'entered'), 0) AS entered,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'active'), 0) AS active,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'completed'), 0) AS completed,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'exited'), 0) AS exited,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'converted'), 0) AS converted,
                             coalesce(sum(n.amount), 0)::text AS revenue
                        FROM workflow_number n
                       WHERE n.account_id = w.account_id AND n.workflow_id = w.workflow_id AND n.node = '') s
 WHERE w.account_id = $1::bigint AND (w.alias = $2 OR w.workflow_id = $3::uuid)
