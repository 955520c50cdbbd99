-- timeout: 5000ms
-- Creates one delivery per event and subscribed endpoint, or for the one endpoint ($8) of an event that a workflow
-- sends. Numbers it after the chain's last one. It is due if nothing in the chain precedes it. All writers lock the
-- chains in the same order, which prevents deadlocks. generate_subscripts makes the planner expect many rows, instead
-- of its default for arrays; CASE keeps it from expecting few events without an endpoint. Every delivery has its chain
-- and vice versa: the full join keeps the planner from a nested loop, which it would choose for few rows.
WITH given AS MATERIALIZED (
  SELECT account_id, id, uid, received_at, kind, lane, contact_id, endpoint
    FROM ROWS FROM (unnest($1::bigint[], $2::bigint[], $3::uuid[], $4::timestamptz[], $5::text[], $6::smallint[],
                           $7::uuid[], $8::uuid[]),
                    generate_subscripts($1::bigint[], 1))
      AS e (account_id, id, uid, received_at, kind, lane, contact_id, endpoint, number)
), wanted AS (
  SELECT account_id, webhook_id, id, uid, received_at, kind, lane, contact_id,
         row_number() OVER chain AS place, count(*) OVER chain AS places
    FROM (SELECT w.webhook_id, e.*
            FROM given e
            JOIN webhook w ON w.account_id = CASE WHEN e.endpoint IS NULL THEN e.account_id END
           WHERE w.event_type IS NULL AND w.state <> 'disabled'
             AND (w.kinds = '{}' OR e.kind COLLATE "C" = ANY (w.kinds)
                  OR (split_part(e.kind, '.', 1) || '.*') COLLATE "C" = ANY (w.kinds))
          UNION ALL
          SELECT w.webhook_id, e.*
            FROM given e
            JOIN webhook w ON w.account_id = e.account_id AND w.webhook_id = e.endpoint
           WHERE w.event_type IS NOT NULL AND w.state <> 'disabled') found
  WINDOW chain AS (PARTITION BY account_id, webhook_id, lane, contact_id ORDER BY id
                   ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)
), chain AS (
  INSERT INTO webhook_chain AS c (account_id, webhook_id, lane, contact_id, last_sequence, head)
    SELECT DISTINCT ON (account_id, webhook_id, lane, contact_id) account_id, webhook_id, lane, contact_id, places, uid
      FROM wanted
     ORDER BY account_id, webhook_id, lane, contact_id, id
  ON CONFLICT (account_id, webhook_id, lane, contact_id)
    DO UPDATE SET last_sequence = c.last_sequence + excluded.last_sequence, head = coalesce(c.head, excluded.head)
  RETURNING account_id, webhook_id, lane, contact_id, last_sequence, head
)
INSERT INTO webhook_delivery (account_id, webhook_id, event_uid, event_id, received_at, kind, lane, contact_id, sequence,
                              state, due_at)
SELECT w.account_id, w.webhook_id, w.uid, w.id, w.received_at, w.kind, w.lane, w.contact_id,
       c.last_sequence - w.places + w.place,
       CASE WHEN c.head = w.uid THEN 'due' ELSE 'held' END,
       CASE WHEN c.head = w.uid THEN transaction_timestamp() END
  FROM wanted w
  FULL JOIN chain c USING (account_id, webhook_id, lane, contact_id)
 ORDER BY w.id
