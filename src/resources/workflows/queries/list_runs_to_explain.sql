-- The contact's newest runs in the workflow, of its 1,000 newest ones.
SELECT *
  FROM (
    (SELECT run_id, workflow_id, state, node, node_since, due_at, NULL::timestamptz AS ended_at, why FROM run
      WHERE account_id = $1::bigint AND contact_id = $2::uuid
      ORDER BY run_id DESC LIMIT 1000)
    UNION ALL
    (SELECT run_id, workflow_id, 'ended', node, NULL, NULL, ended_at, why FROM run_history
      WHERE account_id = $1::bigint AND contact_id = $2::uuid
      ORDER BY run_id DESC LIMIT 1000)) r
 WHERE workflow_id = $3::uuid
 ORDER BY run_id DESC
 LIMIT 5
