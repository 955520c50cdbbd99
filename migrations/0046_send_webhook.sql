-- transactional
-- Event types that send: each has an endpoint in `webhook` with its own id, so that the sender of webhooks sends what
-- workflows send. Triggers keep the endpoint in step with its event type, whichever release or command changes that.

-- The name of the event type whose endpoint this is; null: a webhook that the store manages.
ALTER TABLE webhook ADD COLUMN event_type text;
COMMENT ON COLUMN webhook.event_type IS 'not personal';
CREATE INDEX webhook_refusing ON webhook (account_id, webhook_id) WHERE event_type IS NOT NULL AND state = 'disabled';

-- `kinds` keeps an older release from sending the endpoint the store's events. The encrypted values are bound to the
-- type's id, which is the endpoint's id, so they are copied as they are.
CREATE FUNCTION keep_endpoint_of_type() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  INSERT INTO webhook AS w (account_id, webhook_id, event_type, url, kinds, headers, signing_secret,
                            previous_signing_secret, previous_valid_until, created_at, updated_at)
  VALUES (NEW.account_id, NEW.event_type_id, NEW.name, NEW.url, '{send-webhook}', NEW.headers, NEW.signing_secret,
          NEW.previous_signing_secret, NEW.previous_valid_until, NEW.created_at, NEW.updated_at)
  ON CONFLICT (account_id, webhook_id) DO UPDATE
     SET event_type = excluded.event_type, url = excluded.url, headers = excluded.headers,
         signing_secret = excluded.signing_secret, previous_signing_secret = excluded.previous_signing_secret,
         previous_valid_until = excluded.previous_valid_until,
         -- Failures of the old URL do not count for the new one.
         failing_since = CASE WHEN w.url = excluded.url THEN w.failing_since END,
         version = w.version + 1, updated_at = excluded.updated_at;
  RETURN NULL;
END $$;
CREATE TRIGGER keep_endpoint_of_type AFTER INSERT OR UPDATE ON event_type
  FOR EACH ROW WHEN (NEW.direction = 'send') EXECUTE FUNCTION keep_endpoint_of_type();

CREATE FUNCTION drop_endpoint_of_type() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM webhook WHERE account_id = OLD.account_id AND webhook_id = OLD.event_type_id;
  IF FOUND THEN
    INSERT INTO dropped_webhook (account_id, webhook_id) VALUES (OLD.account_id, OLD.event_type_id);
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER drop_endpoint_of_type AFTER DELETE ON event_type
  FOR EACH ROW WHEN (OLD.direction = 'send') EXECUTE FUNCTION drop_endpoint_of_type();

INSERT INTO webhook (account_id, webhook_id, event_type, url, kinds, headers, signing_secret, previous_signing_secret,
                     previous_valid_until, created_at, updated_at)
  SELECT account_id, event_type_id, name, url, '{send-webhook}', headers, signing_secret, previous_signing_secret,
         previous_valid_until, created_at, updated_at
    FROM event_type
   WHERE direction = 'send';

-- Tells the lane of a contact that the delivery of a run has ended. An account that is being deleted has no runs.
CREATE FUNCTION append_delivery_ended(of_account bigint, of_lane smallint, of_contact uuid, delivery uuid,
                                      after_hops smallint, delivered boolean) RETURNS void
  LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, cause_uid, source,
                       payload)
      SELECT a.account_id, uuid_v7(), of_lane, of_contact, 'delivery-ended', 1, transaction_timestamp(), 'none',
             after_hops, delivery, 'webhooks', jsonb_build_object('deliveryId', delivery, 'delivered', delivered)
        FROM account a
       WHERE a.account_id = of_account AND (a.delete_at IS NULL OR a.delete_at > transaction_timestamp());
  END;

-- However the delivery of a run ends, its run is told in the same transaction: it is settled, or it is deleted because
-- it is old or its event type was deleted.
CREATE FUNCTION tell_delivery_ended() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  delivered boolean := false;
BEGIN
  IF TG_OP = 'UPDATE' THEN delivered := NEW.state = 'delivered'; END IF;
  PERFORM append_delivery_ended(OLD.account_id, OLD.lane, OLD.contact_id, OLD.event_uid,
                                coalesce((SELECT e.hops FROM event e
                                           WHERE e.account_id = OLD.account_id AND e.received_at = OLD.received_at
                                             AND e.id = OLD.event_id), 0::smallint),
                                delivered);
  RETURN NULL;
END $$;
CREATE TRIGGER tell_delivery_ended AFTER UPDATE OF state ON webhook_delivery
  FOR EACH ROW WHEN (NEW.kind = 'send-webhook' AND NEW.ended_at IS NOT NULL AND OLD.ended_at IS NULL)
  EXECUTE FUNCTION tell_delivery_ended();
CREATE TRIGGER tell_delivery_deleted AFTER DELETE ON webhook_delivery
  FOR EACH ROW WHEN (OLD.kind = 'send-webhook' AND OLD.ended_at IS NULL) EXECUTE FUNCTION tell_delivery_ended();

-- The webhook nodes of workflows need the reader whether the account has webhooks or not: an event for an endpoint that
-- is disabled or deleted must end its delivery.
CREATE OR REPLACE VIEW reader_account WITH (security_invoker = true) AS
  SELECT 'webhooks'::text AS reader, account_id, NULL::text[] AS kinds
    FROM webhook WHERE state <> 'disabled' AND event_type IS NULL
  UNION ALL
  SELECT 'webhooks', account_id, ARRAY['send-webhook'] FROM engine_interest
  UNION ALL
  SELECT 'automation', account_id, kinds FROM engine_interest
  UNION ALL
  SELECT 'wakes', account_id, ARRAY(SELECT k FROM unnest(kinds) k WHERE k LIKE 'product.%' OR k = 'wake-more')
    FROM engine_interest;

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
  -- The endpoint of an event type is never paused, because runs would wait with it. It is disabled when the deliveries
  -- that failed first are given up.
  UPDATE webhook w
     SET failing_since = coalesce(w.failing_since, transaction_timestamp()),
         state = CASE WHEN NOT f.gone AND NOT f.dead THEN w.state
                      WHEN f.gone OR w.event_type IS NOT NULL THEN 'disabled' ELSE 'paused' END,
         reason = CASE WHEN f.gone THEN 'gone' WHEN f.dead THEN 'failing' ELSE w.reason END,
         version = w.version + 1, updated_at = transaction_timestamp()
    FROM (SELECT e.account_id, e.webhook_id, e.gone,
                 (x.failing_since < transaction_timestamp()
                                    - CASE WHEN x.event_type IS NULL THEN dead ELSE gives_up END) IS TRUE AS dead
            FROM (SELECT o.account_id, o.webhook_id, bool_or(o.status = 410) IS TRUE AS gone
                    FROM unnest(accounts, webhooks, heard, statuses) AS o (account_id, webhook_id, heard, status)
                   GROUP BY 1, 2 HAVING NOT bool_or(o.heard)) e
            JOIN webhook x USING (account_id, webhook_id)) f
   WHERE w.account_id = f.account_id AND w.webhook_id = f.webhook_id AND w.state = 'enabled'
     AND (f.gone OR f.dead OR w.failing_since IS NULL);
  UPDATE webhook w SET rests_until = transaction_timestamp() + make_interval(secs => r.rest / 1000.0)
    FROM (SELECT o.account_id, o.webhook_id, max(o.rest) AS rest
            FROM unnest(accounts, webhooks, rests) AS o (account_id, webhook_id, rest)
           GROUP BY 1, 2 HAVING max(o.rest) IS NOT NULL) r
   WHERE w.account_id = r.account_id AND w.webhook_id = r.webhook_id;
END $$;

DO $$
DECLARE
  signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['keep_endpoint_of_type()', 'drop_endpoint_of_type()', 'tell_delivery_ended()',
                                   'append_delivery_ended(bigint, smallint, uuid, uuid, smallint, boolean)'] LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION append_delivery_ended(bigint, smallint, uuid, uuid, smallint, boolean) TO shopbell_worker;
