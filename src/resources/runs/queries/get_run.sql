-- Finds the run by a probe per workflow: there is no index on the run's id alone. No run is older than its id ($3).
SELECT r.*
  FROM workflow w
 CROSS JOIN LATERAL (
    (SELECT contact_id, run_id, workflow_id, version, state, node, key, started_at, node_since, due_at,
            NULL::timestamptz AS ended_at, converted, why, trail
       FROM run
      WHERE account_id = w.account_id AND workflow_id = w.workflow_id AND run_id = $2::uuid
      LIMIT 1)
    UNION ALL
    (SELECT contact_id, run_id, workflow_id, version, 'ended', node, key, started_at, NULL, NULL, ended_at, converted,
            why, trail
       FROM run_history
      WHERE account_id = w.account_id AND workflow_id = w.workflow_id AND run_id = $2::uuid
        AND ended_at >= $3::timestamptz
      LIMIT 1)) r
 WHERE w.account_id = $1::bigint
 LIMIT 1
