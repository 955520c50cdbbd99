-- timeout: 5000ms
-- Moves a batch of appended changes of numbers into node_count, in one statement: a reader sees every change once. The
-- row of count_merge lets one process merge at a time.
WITH turn AS MATERIALIZED (
  SELECT through, next_through, next_xmax, pg_current_snapshot() AS shown
    FROM count_merge FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM count_delta
   WHERE ctid = ANY (ARRAY(SELECT d.ctid FROM count_delta d
                            WHERE d.number > (SELECT through FROM turn)
                            ORDER BY d.number LIMIT $1::bigint))
  RETURNING account_id, workflow_id, node, counter, delta, amount, number
), merged AS (
  INSERT INTO node_count AS n (account_id, workflow_id, node, counter, people, amount)
  SELECT account_id, workflow_id, node, counter, sum(delta), sum(amount) FROM gone
   GROUP BY account_id, workflow_id, node, counter
   ORDER BY account_id, workflow_id, node, counter
  ON CONFLICT (account_id, workflow_id, node, counter)
  DO UPDATE SET people = n.people + excluded.people, amount = n.amount + excluded.amount
), done AS (
  SELECT count(*) AS count, max(number) AS last FROM gone
), marks AS (
  -- Reached: every visible row up to next_through is gone, and no transaction that could add one is left.
  SELECT t.*, d.*, t.next_through > t.through AND t.next_xmax <= pg_snapshot_xmin(t.shown)
         AND (d.count < $1::bigint OR d.last >= t.next_through) AS reached,
         -- A restored database has lower transaction ids.
         t.next_through <= t.through OR t.next_xmax > pg_snapshot_xmax(t.shown) AS unset
    FROM turn t CROSS JOIN done d
), marked AS (
  UPDATE count_merge c
     SET through = CASE WHEN m.reached THEN m.next_through ELSE m.through END,
         next_through = greatest(m.last, m.next_through),
         next_xmax = CASE WHEN m.last IS NULL THEN m.next_xmax ELSE pg_snapshot_xmax(m.shown) END
    FROM marks m
   WHERE m.reached OR (m.unset AND m.last IS NOT NULL)
)
SELECT count FROM done
