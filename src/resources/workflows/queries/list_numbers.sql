SELECT n.node, n.counter, sum(n.people)::bigint AS people, sum(n.amount)::text AS amount
  FROM workflow_number n
 WHERE n.account_id = $1::bigint
   AND n.workflow_id = (SELECT workflow_id FROM workflow
                         WHERE account_id = $1::bigint AND (alias = $2 OR workflow_id = $3::uuid))
 GROUP BY n.node, n.counter
 ORDER BY n.node, n.counter
