-- order: [newest|oldest]
SELECT w.*, v.definition, a.currency, s.*
  FROM (SELECT account_id, workflow_id, alias, name, status, active_version, draft_version, activated_at, finished_at,
               version, created_at, updated_at
          FROM workflow
         WHERE account_id = $1::bigint
           AND ($2::uuid IS NULL OR workflow_id [<|>] $2::uuid)
           AND ($3::text IS NULL OR status = $3)
         ORDER BY workflow_id [DESC|ASC]
         LIMIT $4::bigint) w
  JOIN account a ON a.account_id = w.account_id
  JOIN workflow_version v ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id
                         AND v.version = coalesce(w.active_version, w.draft_version)
  CROSS JOIN LATERAL (SELECT coalesce(sum(n.people) FILTER (WHERE n.counter = 'entered'), 0) AS entered,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'active'), 0) AS active,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'completed'), 0) AS completed,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'exited'), 0) AS exited,
                             coalesce(sum(n.people) FILTER (WHERE n.counter = 'converted'), 0) AS converted,
                             coalesce(sum(n.amount), 0)::text AS revenue
                        FROM workflow_number n
                       WHERE n.account_id = w.account_id AND n.workflow_id = w.workflow_id AND n.node = '') s
 ORDER BY w.workflow_id [DESC|ASC]
