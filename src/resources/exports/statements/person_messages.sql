SELECT m.message_id AS id, w.alias AS workflow, m.node, m.template, m.class, m.state, m.reason,
       {planned_at} AS "plannedAt", {ended_at} AS "endedAt"
  FROM message m
  LEFT JOIN workflow w ON w.account_id = m.account_id AND w.workflow_id = m.workflow_id
 WHERE m.account_id = {account}
   AND (m.contact_id = {contact}::uuid
        OR m.contact_id IN (SELECT m.contact_id FROM merged_contact m
                             WHERE m.account_id = {account} AND m.into_id = {contact}::uuid))
 ORDER BY m.planned_at, m.message_id
