-- Runs of workflows, open and ended, with what they remember of the person and of contacts that were merged into it.
SELECT r.run_id AS id, w.alias AS workflow, r.version, r.node, r.key, r.state, {started_at} AS "startedAt",
       {ended_at} AS "endedAt", r.data::json AS data
  FROM (SELECT r.run_id, r.workflow_id, r.version, r.node, r.key, r.started_at, NULL::timestamptz AS ended_at, r.state,
               r.data::text AS data
          FROM run r
         WHERE r.account_id = {account}
           AND (r.contact_id = {contact}::uuid
                OR r.contact_id IN (SELECT m.contact_id FROM merged_contact m
                                     WHERE m.account_id = {account} AND m.into_id = {contact}::uuid))
        UNION ALL
        SELECT h.run_id, h.workflow_id, h.version, h.node, h.key, h.started_at, h.ended_at, 'ended', NULL
          FROM run_history h
         WHERE h.account_id = {account}
           AND (h.contact_id = {contact}::uuid
                OR h.contact_id IN (SELECT m.contact_id FROM merged_contact m
                                     WHERE m.account_id = {account} AND m.into_id = {contact}::uuid))) AS r
  LEFT JOIN workflow w ON w.account_id = {account} AND w.workflow_id = r.workflow_id
 ORDER BY r.started_at, r.run_id
