-- transactional
-- Every endpoint has a row with its next due time. A poll reads the endpoints that are due, and each endpoint's
-- deliveries from that time on. So its cost does not depend on deliveries that wait, have ended, or are dead rows which a
-- long snapshot keeps.

-- `next_due_at`: no pending delivery is due before it; null: none is pending. It may be too early, never too late.
-- `deleted_through`: deliveries up to this id have been deleted.
CREATE TABLE webhook_queue (
  account_id      bigint NOT NULL,
  webhook_id      uuid NOT NULL,
  next_due_at     timestamptz,
  deleted_through bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, webhook_id),
  FOREIGN KEY (account_id, webhook_id) REFERENCES webhook ON DELETE CASCADE
) WITH (fillfactor = 50);
CREATE INDEX webhook_queue_due ON webhook_queue (next_due_at);

ALTER TABLE webhook_queue ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON webhook_queue TO shopbell_api USING (account_id = current_account());
CREATE POLICY every_account ON webhook_queue TO shopbell_worker USING (true);
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name = 'webhook_queue'
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
GRANT SELECT ON webhook_queue TO shopbell_api, shopbell_worker;
GRANT INSERT ON webhook_queue TO shopbell_api;
GRANT UPDATE (next_due_at) ON webhook_queue TO shopbell_api, shopbell_worker;

CREATE FUNCTION add_webhook_queue() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO webhook_queue (account_id, webhook_id) VALUES (NEW.account_id, NEW.webhook_id);
  RETURN NULL;
END $$;
CREATE TRIGGER add_webhook_queue AFTER INSERT ON webhook FOR EACH ROW EXECUTE FUNCTION add_webhook_queue();

-- Lowers the next due times of endpoints. The caller has made deliveries due, and has not committed yet. Until it
-- commits, its locks keep advance_next_due() away from the rows, which could not see these deliveries.
CREATE FUNCTION note_due(accounts bigint[], webhooks uuid[], dues timestamptz[]) RETURNS void
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM FROM (SELECT DISTINCT account_id, webhook_id FROM unnest(accounts, webhooks) AS e (account_id, webhook_id)
                 ORDER BY 1, 2) e
    CROSS JOIN LATERAL (SELECT FROM webhook_queue q
                         WHERE q.account_id = e.account_id AND q.webhook_id = e.webhook_id
                           FOR KEY SHARE) q;
  -- Later statements see the times that were committed while the first one waited. All callers lock in the same order.
  PERFORM FROM (SELECT account_id, webhook_id, min(due) AS due
                  FROM unnest(accounts, webhooks, dues) AS e (account_id, webhook_id, due)
                 GROUP BY 1, 2 ORDER BY 1, 2) e
    CROSS JOIN LATERAL (SELECT FROM webhook_queue q
                         WHERE q.account_id = e.account_id AND q.webhook_id = e.webhook_id
                           AND (q.next_due_at IS NULL OR q.next_due_at > e.due)
                           FOR NO KEY UPDATE) q;
  IF NOT FOUND THEN RETURN; END IF;
  UPDATE webhook_queue q SET next_due_at = e.due
    FROM (SELECT account_id, webhook_id, min(due) AS due
            FROM unnest(accounts, webhooks, dues) AS e (account_id, webhook_id, due) GROUP BY 1, 2) e
   WHERE q.account_id = e.account_id AND q.webhook_id = e.webhook_id
     AND (q.next_due_at IS NULL OR q.next_due_at > e.due);
END $$;

CREATE FUNCTION note_new_deliveries() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM note_due(array_agg(account_id), array_agg(webhook_id), array_agg(due))
     FROM (SELECT account_id, webhook_id, min(due_at) AS due FROM added WHERE state = 'due' GROUP BY 1, 2) e
   HAVING count(*) > 0;
  RETURN NULL;
END $$;
CREATE TRIGGER note_new_deliveries AFTER INSERT ON webhook_delivery REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION note_new_deliveries();

-- Raises the next due times of endpoints to their oldest pending delivery. Returns the time of each, and whether it has
-- come. Rows that another transaction has locked stay as they are.
CREATE FUNCTION advance_next_due(accounts bigint[], webhooks uuid[])
  RETURNS TABLE (account_id bigint, webhook_id uuid, next_due_at timestamptz, is_due boolean)
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  free record;
BEGIN
  SELECT array_agg(q.account_id) AS accounts, array_agg(q.webhook_id) AS webhooks INTO free
    FROM unnest(accounts, webhooks) AS e (account_id, webhook_id)
   CROSS JOIN LATERAL (SELECT x.account_id, x.webhook_id FROM webhook_queue x
                        WHERE x.account_id = e.account_id AND x.webhook_id = e.webhook_id AND x.next_due_at IS NOT NULL
                          FOR UPDATE SKIP LOCKED) q;
  -- This statement's snapshot is newer than the locks: it shows every delivery that note_due() was called for.
  UPDATE webhook_queue q SET next_due_at = e.due
    FROM (SELECT x.account_id, x.webhook_id, d.due
            FROM unnest(free.accounts, free.webhooks) AS e (account_id, webhook_id)
            JOIN webhook_queue x USING (account_id, webhook_id)
            LEFT JOIN LATERAL (SELECT y.due_at AS due FROM webhook_delivery y
                                WHERE y.account_id = x.account_id AND y.webhook_id = x.webhook_id AND y.state = 'due'
                                  AND y.due_at >= x.next_due_at
                                ORDER BY y.due_at LIMIT 1) d ON true) e
   WHERE q.account_id = e.account_id AND q.webhook_id = e.webhook_id AND q.next_due_at IS DISTINCT FROM e.due;
  RETURN QUERY
    SELECT e.account_id, e.webhook_id, q.next_due_at, coalesce(q.next_due_at <= transaction_timestamp(), false)
      FROM unnest(accounts, webhooks) AS e (account_id, webhook_id)
      LEFT JOIN webhook_queue q USING (account_id, webhook_id);
END $$;

-- Makes the next delivery of each of these chains due, where none is. The caller has locked the chains.
CREATE OR REPLACE FUNCTION move_on(accounts bigint[], webhooks uuid[], lanes smallint[], contacts uuid[]) RETURNS void
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  due record;
BEGIN
  WITH next AS (
    UPDATE webhook_chain c
       SET head = (SELECT d.event_uid FROM webhook_delivery d
                    WHERE d.account_id = c.account_id AND d.webhook_id = c.webhook_id AND d.lane = c.lane
                      AND d.contact_id = c.contact_id AND d.state = 'held'
                    ORDER BY d.sequence LIMIT 1)
      FROM unnest(accounts, webhooks, lanes, contacts) AS k (account_id, webhook_id, lane, contact_id)
     WHERE c.account_id = k.account_id AND c.webhook_id = k.webhook_id AND c.lane = k.lane
       AND c.contact_id = k.contact_id AND c.head IS NULL
    RETURNING c.account_id, c.webhook_id, c.head
  ), moved AS (
    UPDATE webhook_delivery d SET state = 'due', due_at = transaction_timestamp()
      FROM next WHERE d.account_id = next.account_id AND d.webhook_id = next.webhook_id AND d.event_uid = next.head
    RETURNING d.account_id, d.webhook_id, d.due_at
  )
  SELECT array_agg(account_id) AS accounts, array_agg(webhook_id) AS webhooks, array_agg(due_at) AS times
    INTO due FROM moved;
  PERFORM note_due(due.accounts, due.webhooks, due.times);
END $$;

-- Stores the outcomes of attempts. An outcome is ignored if another sender has claimed the delivery meanwhile. `pauses`,
-- in milliseconds, precede the next attempt; without one the delivery has ended. `rests` are the pauses that endpoints
-- asked for.
CREATE OR REPLACE FUNCTION settle_deliveries(
    accounts bigint[], webhooks uuid[], ids bigint[], senders uuid[], heard boolean[], statuses smallint[],
    troubles text[], pauses bigint[], rests bigint[], gives_up interval, steps_aside interval, dead interval)
  RETURNS void
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  told record;  -- deliveries that their senders still hold: their places, and their positions in the arrays
  due  record;  -- deliveries that are due, now or later
BEGIN
  -- Each is looked up by its key: a plan made while the table was empty would read all deliveries of an endpoint.
  -- The chains are locked first, in the same order as by the reader.
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
                                -- Time in which the endpoint was paused does not count.
                                AND NOT EXISTS (SELECT FROM webhook w
                                                 WHERE w.account_id = d.account_id AND w.webhook_id = d.webhook_id
                                                   AND w.enabled_at >= transaction_timestamp() - gives_up)) IS TRUE AS ended
                       FROM (SELECT told.numbers[array_position(told.places, d.ctid)] AS n) which) o)
     WHERE d.ctid = ANY (told.places)
       AND d.sender = senders[told.numbers[array_position(told.places, d.ctid)]]
       AND d.id = ids[told.numbers[array_position(told.places, d.ctid)]]
    RETURNING d.account_id, d.webhook_id, d.lane, d.contact_id, d.event_uid, d.due_at,
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
  ), next AS (
    -- Not by the account: with it the planner could choose another index.
    UPDATE webhook_delivery d SET state = 'due', due_at = transaction_timestamp()
     WHERE d.ctid = ANY (ARRAY (
       SELECT n.place FROM passed p
        CROSS JOIN LATERAL (SELECT x.ctid AS place FROM webhook_delivery x
                             WHERE x.event_uid = p.head AND x.webhook_id = p.webhook_id
                            OFFSET 0) n))
    RETURNING d.account_id, d.webhook_id, d.due_at
  )
  SELECT array_agg(d.account_id) AS accounts, array_agg(d.webhook_id) AS webhooks, array_agg(d.due_at) AS times
    INTO due
    FROM (SELECT account_id, webhook_id, due_at FROM settled WHERE due_at IS NOT NULL
          UNION ALL
          SELECT account_id, webhook_id, due_at FROM next) d;
  PERFORM note_due(due.accounts, due.webhooks, due.times);

  -- The endpoint's own state changes rarely: on the first failure, and on the first success after failures.
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

-- Sends ended deliveries again, in order and with their sequence. Makes pending ones due now.
CREATE OR REPLACE FUNCTION send_again(of_account bigint, of_webhook uuid, of_ids bigint[]) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  again  record;
  sooner bigint;
BEGIN
  PERFORM FROM webhook_chain c
    JOIN (SELECT DISTINCT lane, contact_id FROM webhook_delivery
           WHERE account_id = of_account AND webhook_id = of_webhook AND id = ANY (of_ids)) k USING (lane, contact_id)
   WHERE c.account_id = of_account AND c.webhook_id = of_webhook
   ORDER BY c.lane, c.contact_id
     FOR UPDATE OF c;
  WITH taken AS (
    UPDATE webhook_delivery
       SET state = 'held', ended_at = NULL, failing_since = NULL, sender = NULL, attempts = 0
     WHERE account_id = of_account AND webhook_id = of_webhook AND id = ANY (of_ids)
       AND state IN ('delivered', 'failed')
    RETURNING lane, contact_id
  )
  SELECT count(*) AS count, array_agg(of_account) AS accounts, array_agg(of_webhook) AS webhooks,
         array_agg(lane) AS lanes, array_agg(contact_id) AS contacts INTO again FROM taken;
  -- A delivery in flight has a sender, and is left alone.
  UPDATE webhook_delivery SET due_at = transaction_timestamp()
   WHERE account_id = of_account AND webhook_id = of_webhook AND id = ANY (of_ids) AND state = 'due'
     AND due_at > transaction_timestamp() AND sender IS NULL;
  GET DIAGNOSTICS sooner = ROW_COUNT;
  IF sooner > 0 THEN
    PERFORM note_due(ARRAY[of_account], ARRAY[of_webhook], ARRAY[transaction_timestamp()]);
  END IF;
  PERFORM move_on(again.accounts, again.webhooks, again.lanes, again.contacts);
  RETURN again.count + sooner;
END $$;

-- Deletes deliveries older than `kept`, and unblocks those behind them. The search starts behind the deliveries that
-- were deleted before: their dead rows stay for as long as a snapshot needs them. Only one process deletes at a time.
CREATE OR REPLACE FUNCTION forget_deliveries(kept interval, most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  old  record;
  gone record;
  done bigint := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('forget_deliveries', 0)) THEN RETURN 0; END IF;
  FOR old IN
    SELECT q.account_id, q.webhook_id, d.ids, d.through
      FROM webhook_queue q
     CROSS JOIN LATERAL (SELECT first.received_at FROM webhook_delivery first
                          WHERE first.account_id = q.account_id AND first.webhook_id = q.webhook_id
                            AND first.id > q.deleted_through
                          ORDER BY first.id LIMIT 1) oldest
     CROSS JOIN LATERAL (SELECT array_agg(id) FILTER (WHERE is_old) AS ids,
                                coalesce(min(id) FILTER (WHERE NOT is_old) - 1, max(id)) AS through
                           FROM (SELECT id, received_at < transaction_timestamp() - kept AS is_old
                                   FROM webhook_delivery
                                  WHERE account_id = q.account_id AND webhook_id = q.webhook_id
                                    AND id > q.deleted_through
                                  ORDER BY id LIMIT most) eldest) d
     WHERE oldest.received_at < transaction_timestamp() - kept
     ORDER BY q.account_id, q.webhook_id LIMIT 20
  LOOP
    -- Every writer locks the chains first, in this order.
    PERFORM FROM webhook_chain c
      JOIN (SELECT DISTINCT lane, contact_id FROM webhook_delivery
             WHERE account_id = old.account_id AND webhook_id = old.webhook_id AND id = ANY (old.ids)) k
     USING (lane, contact_id)
     WHERE c.account_id = old.account_id AND c.webhook_id = old.webhook_id
     ORDER BY c.lane, c.contact_id
       FOR UPDATE OF c;
    WITH forgotten AS (
      DELETE FROM webhook_delivery
       WHERE account_id = old.account_id AND webhook_id = old.webhook_id AND id = ANY (old.ids)
      RETURNING lane, contact_id, event_uid
    ), freed AS (
      UPDATE webhook_chain c SET head = NULL FROM forgotten f
       WHERE c.account_id = old.account_id AND c.webhook_id = old.webhook_id AND c.lane = f.lane
         AND c.contact_id = f.contact_id AND c.head = f.event_uid
      RETURNING c.lane, c.contact_id
    )
    SELECT (SELECT count(*) FROM forgotten) AS count, array_agg(old.account_id) AS accounts,
           array_agg(old.webhook_id) AS webhooks, array_agg(lane) AS lanes, array_agg(contact_id) AS contacts
      INTO gone FROM freed;
    PERFORM move_on(gone.accounts, gone.webhooks, gone.lanes, gone.contacts);
    UPDATE webhook_queue SET deleted_through = old.through
     WHERE account_id = old.account_id AND webhook_id = old.webhook_id;
    done := done + gone.count;
    EXIT WHEN done >= most;
  END LOOP;
  RETURN done;
END $$;

DO $$
DECLARE signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['note_due(bigint[], uuid[], timestamptz[])', 'advance_next_due(bigint[], uuid[])',
      'add_webhook_queue()', 'note_new_deliveries()']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_worker', signature);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION note_due(bigint[], uuid[], timestamptz[]) TO shopbell_api;

INSERT INTO webhook_queue (account_id, webhook_id, next_due_at)
SELECT w.account_id, w.webhook_id, d.due_at
  FROM webhook w
  LEFT JOIN LATERAL (SELECT x.due_at FROM webhook_delivery x
                      WHERE x.account_id = w.account_id AND x.webhook_id = w.webhook_id AND x.state = 'due'
                      ORDER BY x.due_at LIMIT 1) d ON true;

-- The rows go with their account.
CREATE OR REPLACE FUNCTION account_tables() RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN ARRAY[
    -- Rows that let others write more rows go first: keys, jobs, endpoints.
    'key_use', 'api_key', 'job', 'webhook_queue', 'webhook',
    'workflow_reference', 'workflow_version', 'workflow', 'template', 'event_type', 'event_type_counter', 'integration',
    'coupon_claim', 'coupon_redemption', 'coupon', 'coupon_slot', 'coupon_set', 'purchase', 'consent', 'merged_contact',
    'contact_facet', 'contact', 'contact_field', 'contact_field_counter', 'product',
    'event', 'webhook_delivery', 'webhook_chain', 'event_claim', 'claim', 'import_failure', 'rejected_event',
    'erased_contact', 'erasure', 'suppression', 'dropped_contact_field', 'dropped_coupon_set', 'dropped_webhook',
    'log_parked', 'bucket_use', 'store_usage', 'audit'
    -- A migration that adds a table with an account_id replaces this function, with the table in its place.
  ];
