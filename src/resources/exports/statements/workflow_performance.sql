-- Counts runs by the time of what they did: a run that starts in one period may end in another. The revenue is that of
-- the purchases made in the period. Every workflow that did or earned something has a row for every period.
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
), earned AS (
  SELECT {purchase_period} AS period, t.workflow_id::text AS id, sum(t.amount) AS revenue
    FROM purchase p
    JOIN purchase_attribution t
      ON t.account_id = p.account_id AND t.store_id = p.store_id AND t.purchase_id = p.purchase_id
   WHERE p.account_id = {account} AND {purchased}
   GROUP BY 1, 2
)
SELECT a.period, w.alias AS workflow, v.definition->>'name' AS name, coalesce(c.entered, 0) AS entered,
       coalesce(c.completed, 0) AS completed, coalesce(c.exited, 0) AS exited, coalesce(c.converted, 0) AS converted,
       coalesce(c.sent, 0) AS sent, coalesce(c.unsubscribed, 0) AS unsubscribed,
       coalesce(g.revenue, 0) AS revenue, {digits} AS digits
  FROM {periods}
 CROSS JOIN workflow w
  JOIN account s ON s.account_id = w.account_id
  JOIN workflow_version v
    ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id AND v.version = w.active_version
  LEFT JOIN counted c ON c.period = a.period AND c.id = w.workflow_id::text
  LEFT JOIN earned g ON g.period = a.period AND g.id = w.workflow_id::text
 WHERE w.account_id = {account} AND w.workflow_id::text IN (SELECT id FROM counted UNION ALL SELECT id FROM earned)
