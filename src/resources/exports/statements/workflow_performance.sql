-- Counts runs by the time of what they did: a run that starts in one period may end in another. Every workflow that did
-- something has a row for every period.
WITH counted AS (
  SELECT {period} AS period, e.payload->>'workflowId' AS id,
         count(*) FILTER (WHERE e.kind = 'workflow.entered') AS entered,
         count(*) FILTER (WHERE e.kind = 'workflow.completed') AS completed,
         count(*) FILTER (WHERE e.kind = 'workflow.exited') AS exited,
         count(*) FILTER (WHERE e.kind = 'workflow.converted') AS converted,
         count(*) FILTER (WHERE e.kind = 'message.sent') AS sent,
         count(*) FILTER (WHERE e.kind = 'message.unsubscribed') AS unsubscribed
    FROM event e
   WHERE e.account_id = {account} AND {received}
     AND e.kind IN ('workflow.entered', 'workflow.completed', 'workflow.exited', 'workflow.converted', 'message.sent',
                    'message.unsubscribed')
     AND e.payload->>'workflowId' IS NOT NULL
   GROUP BY 1, 2
)
SELECT a.period, w.alias AS workflow, v.definition->>'name' AS name, coalesce(c.entered, 0) AS entered,
       coalesce(c.completed, 0) AS completed, coalesce(c.exited, 0) AS exited, coalesce(c.converted, 0) AS converted,
       coalesce(c.sent, 0) AS sent, coalesce(c.unsubscribed, 0) AS unsubscribed
  FROM {periods}
 CROSS JOIN workflow w
  JOIN workflow_version v
    ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id AND v.version = w.active_version
  LEFT JOIN counted c ON c.period = a.period AND c.id = w.workflow_id::text
 WHERE w.account_id = {account} AND w.workflow_id::text IN (SELECT id FROM counted)
