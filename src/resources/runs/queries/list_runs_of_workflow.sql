-- order: [newest|oldest]
-- Looks at $7 runs at most, so that a filter that matches few runs costs no more. `last` is the last of them if there
-- may be more.
WITH looked AS MATERIALIZED (
  SELECT * FROM (
    (SELECT contact_id, run_id, workflow_id, version, state, node, key, started_at, node_since, due_at,
            NULL::timestamptz AS ended_at, converted, why
       FROM run
      WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND run_id [<|>] $3::uuid
        AND ($4::text IS NULL OR $4 <> 'ended')
      ORDER BY run_id [DESC|ASC]
      LIMIT $7::bigint)
    UNION ALL
    (SELECT contact_id, run_id, workflow_id, version, 'ended', node, key, started_at, NULL, NULL, ended_at, converted, why
       FROM run_history
      WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND run_id [<|>] $3::uuid
        AND ($4::text IS NULL OR $4 = 'ended')
      ORDER BY run_id [DESC|ASC]
      LIMIT $7::bigint)) r
   ORDER BY run_id [DESC|ASC]
   LIMIT $7::bigint
)
SELECT e.last, p.*
  FROM (SELECT (SELECT run_id FROM looked ORDER BY run_id [DESC|ASC] OFFSET $7::bigint - 1 LIMIT 1) AS last) e
  LEFT JOIN (SELECT * FROM looked
              WHERE ($4::text IS NULL OR state = $4) AND ($5::text IS NULL OR node = $5)
              ORDER BY run_id [DESC|ASC]
              LIMIT $6::bigint) p ON true
 ORDER BY p.run_id [DESC|ASC]
