-- The runs that a command is for, of a page of $4 runs, by lane. `last` is the last run of the page; null: no more follow.
WITH looked AS MATERIALIZED (
  SELECT contact_id, run_id, lane, state, node, version FROM run
   WHERE account_id = $1::bigint AND workflow_id = $2::uuid AND run_id > $3::uuid
   ORDER BY run_id
   LIMIT $4::bigint
)
SELECT e.last, e.now, p.*
  FROM (SELECT (SELECT run_id FROM looked ORDER BY run_id OFFSET $4::bigint - 1 LIMIT 1) AS last,
               transaction_timestamp() AS now) e
  LEFT JOIN (SELECT contact_id, run_id, lane FROM looked
              WHERE CASE $5 WHEN 'release' THEN state = 'held'
                            WHEN 'end' THEN state IN ('open', 'held', 'parked')
                            ELSE state IN ('open', 'held', 'parked') AND node = ANY ($6::text[])
                                 AND version < $7::integer
                     END) p ON true
 ORDER BY p.lane, p.run_id
