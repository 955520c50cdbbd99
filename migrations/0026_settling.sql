-- transactional
-- Deliveries are settled by their keys, whatever the planner knows of the table.

-- By the event first: among indexes that all begin with account and endpoint, the planner takes any for any of them while
-- the table has not been analyzed, and reads all that an endpoint was told to find one.
DROP INDEX webhook_delivery_event;
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (event_uid, webhook_id);

-- Without a setting of its own it becomes part of the query that uses it, instead of being planned each time. What it
-- names was looked up when it was made.
ALTER FUNCTION endpoints_with_due() RESET search_path;

-- What became of deliveries that somebody took. Who took one later is right: then what the other says of it is nothing.
-- `pauses`, in milliseconds, are those before the next attempt; without one a delivery has ended. `rests` are those that
-- an endpoint asks for.
CREATE OR REPLACE FUNCTION settle_deliveries(
    accounts bigint[], webhooks uuid[], ids bigint[], senders uuid[], heard boolean[], statuses smallint[],
    troubles text[], pauses bigint[], rests bigint[], gives_up interval, steps_aside interval, dead interval)
  RETURNS void
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public AS $$
DECLARE
  told record;  -- those that their senders still have: where they are, and which of the arrays' each is
BEGIN
  -- Each is looked up by its key: a plan made while the table was empty would rather read all that an endpoint is told.
  -- The chains are locked first, in the order in which the reader takes them.
  WITH known AS MATERIALIZED (
    SELECT o.account_id, o.webhook_id, o.number, d.place, d.lane, d.contact_id
      FROM unnest(accounts, webhooks, ids, senders) WITH ORDINALITY AS o (account_id, webhook_id, id, sender, number)
     CROSS JOIN LATERAL (SELECT x.ctid AS place, x.lane, x.contact_id FROM webhook_delivery x
                          WHERE x.account_id = o.account_id AND x.webhook_id = o.webhook_id AND x.id = o.id
                            AND x.sender = o.sender
                         OFFSET 0) d
  ), locked AS MATERIALIZED (
    SELECT FROM (SELECT DISTINCT account_id, webhook_id, lane, contact_id FROM known ORDER BY 1, 2, 3, 4) k
     CROSS JOIN LATERAL (SELECT FROM webhook_chain c
                          WHERE c.account_id = k.account_id AND c.webhook_id = k.webhook_id AND c.lane = k.lane
                            AND c.contact_id = k.contact_id
                            FOR UPDATE) c
  )
  SELECT array_agg(place) AS places, array_agg(number::integer) AS numbers, (SELECT count(*) FROM locked) AS chains
    INTO told FROM known;
  WITH settled AS (
    UPDATE webhook_delivery d
       SET (failing_since, status, trouble, sender, state, ended_at, due_at) = (
             SELECT coalesce(d.failing_since, CASE WHEN NOT o.heard THEN transaction_timestamp() END), o.status, o.trouble,
                    NULL::uuid, CASE WHEN o.heard THEN 'delivered' WHEN o.ended THEN 'failed' ELSE 'due' END,
                    CASE WHEN o.ended THEN transaction_timestamp() END,
                    CASE WHEN NOT o.ended THEN transaction_timestamp() + make_interval(secs => o.pause / 1000.0) END
               FROM (SELECT heard[n] AS heard, statuses[n] AS status, troubles[n] AS trouble, pauses[n] AS pause,
                            heard[n] OR pauses[n] IS NULL
                            OR (d.failing_since < transaction_timestamp() - gives_up
                                -- While it was paused it did not fail.
                                AND NOT EXISTS (SELECT FROM webhook w
                                                 WHERE w.account_id = d.account_id AND w.webhook_id = d.webhook_id
                                                   AND w.enabled_at >= transaction_timestamp() - gives_up)) IS TRUE AS ended
                       FROM (SELECT told.numbers[array_position(told.places, d.ctid)] AS n) which) o)
     WHERE d.ctid = ANY (told.places)
       AND d.sender = senders[told.numbers[array_position(told.places, d.ctid)]]
       AND d.id = ids[told.numbers[array_position(told.places, d.ctid)]]
    RETURNING d.account_id, d.webhook_id, d.lane, d.contact_id, d.event_uid,
              d.state <> 'due' OR d.failing_since < transaction_timestamp() - steps_aside AS lets_pass
  ), passed AS (
    UPDATE webhook_chain c
       SET head = (SELECT n.event_uid FROM webhook_delivery n
                    WHERE n.account_id = c.account_id AND n.webhook_id = c.webhook_id AND n.lane = c.lane
                      AND n.contact_id = c.contact_id AND n.state = 'held'
                    ORDER BY n.sequence LIMIT 1)
      FROM settled s
     WHERE s.lets_pass AND c.account_id = s.account_id AND c.webhook_id = s.webhook_id AND c.lane = s.lane
       AND c.contact_id = s.contact_id AND c.head = s.event_uid
    RETURNING c.webhook_id, c.head
  )
  -- No account: by that another index would do as well.
  UPDATE webhook_delivery d SET state = 'due', due_at = transaction_timestamp()
   WHERE d.ctid = ANY (ARRAY (
     SELECT n.place FROM passed p
      CROSS JOIN LATERAL (SELECT x.ctid AS place FROM webhook_delivery x
                           WHERE x.event_uid = p.head AND x.webhook_id = p.webhook_id
                          OFFSET 0) n));

  -- The endpoint's own state changes seldom: when it falls silent and when it is heard of again.
  UPDATE webhook w SET failing_since = NULL, version = version + 1, updated_at = transaction_timestamp()
    FROM (SELECT DISTINCT o.account_id, o.webhook_id
            FROM unnest(accounts, webhooks, heard) AS o (account_id, webhook_id, heard)
           WHERE o.heard) h
   WHERE w.account_id = h.account_id AND w.webhook_id = h.webhook_id AND w.failing_since IS NOT NULL;
  UPDATE webhook w
     SET failing_since = coalesce(w.failing_since, transaction_timestamp()),
         state = CASE WHEN f.gone THEN 'disabled' WHEN w.failing_since < transaction_timestamp() - dead THEN 'paused'
                      ELSE w.state END,
         reason = CASE WHEN f.gone THEN 'gone' WHEN w.failing_since < transaction_timestamp() - dead THEN 'failing'
                       ELSE w.reason END,
         version = version + 1, updated_at = transaction_timestamp()
    FROM (SELECT o.account_id, o.webhook_id, bool_or(o.status = 410) IS TRUE AS gone
            FROM unnest(accounts, webhooks, heard, statuses) AS o (account_id, webhook_id, heard, status)
           GROUP BY 1, 2 HAVING NOT bool_or(o.heard)) f
   WHERE w.account_id = f.account_id AND w.webhook_id = f.webhook_id AND w.state = 'enabled'
     AND (f.gone OR w.failing_since IS NULL OR w.failing_since < transaction_timestamp() - dead);
  UPDATE webhook w SET rests_until = transaction_timestamp() + make_interval(secs => r.rest / 1000.0)
    FROM (SELECT o.account_id, o.webhook_id, max(o.rest) AS rest
            FROM unnest(accounts, webhooks, rests) AS o (account_id, webhook_id, rest)
           GROUP BY 1, 2 HAVING max(o.rest) IS NOT NULL) r
   WHERE w.account_id = r.account_id AND w.webhook_id = r.webhook_id;
END $$;
