-- transactional
-- Webhooks: addresses that a store wants to be told at, and what they are told. Every event that an endpoint wants
-- becomes a delivery in the transaction that reads it from the log; then whoever is free sends it, until it is heard or
-- three days are over.

-- Values of headers and secrets are sealed by the keyring; the secret before the last rotation stays good for a while.
-- One that is paused is told later, one that is disabled is not told what happens meanwhile.
CREATE TABLE webhook (
  account_id              bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  webhook_id              uuid NOT NULL,
  url                     text NOT NULL CHECK (octet_length(url) <= 8192),
  description             text,
  kinds                   text[] COLLATE "C" NOT NULL,  -- none: all; `contact.*`: all that begin so
  headers                 jsonb NOT NULL DEFAULT '[]',
  signing_secret          bytea NOT NULL,
  previous_signing_secret bytea,
  previous_valid_until    timestamptz,
  state                   text COLLATE "C" NOT NULL DEFAULT 'enabled'
                          CHECK (state IN ('enabled', 'paused', 'disabled')),
  reason                  text COLLATE "C" CHECK (reason IN ('requested', 'failing', 'gone')),
  failing_since           timestamptz,  -- nothing was heard since
  rests_until             timestamptz,  -- as it asked for
  enabled_at              timestamptz,  -- since when, after it was not
  replay_from             timestamptz,  -- while what was received from then to then is sent again
  replay_to               timestamptz,
  replay_at               timestamptz,  -- when it last went on
  replay_after            bigint NOT NULL DEFAULT 0,  -- deliveries up to here have been gone through
  version                 bigint NOT NULL DEFAULT 1,
  created_at              timestamptz NOT NULL,
  updated_at              timestamptz NOT NULL,
  PRIMARY KEY (account_id, webhook_id),
  CHECK ((state = 'enabled') = (reason IS NULL)),
  CHECK ((replay_from IS NULL) = (replay_to IS NULL)),
  CHECK ((previous_signing_secret IS NULL) = (previous_valid_until IS NULL))
);
CREATE INDEX webhook_replayed ON webhook (account_id, webhook_id) WHERE replay_from IS NOT NULL;

-- What one endpoint is told of one contact, or of what else shares a lane: numbered without a gap, one after the other.
-- The nil contact stands for none.
CREATE TABLE webhook_chain (
  account_id    bigint NOT NULL,
  webhook_id    uuid NOT NULL,
  lane          smallint NOT NULL,
  contact_id    uuid NOT NULL,
  last_sequence bigint NOT NULL,
  head          uuid,  -- the event that those behind it wait for
  PRIMARY KEY (account_id, webhook_id, lane, contact_id)
) WITH (fillfactor = 80);

-- `held`: behind the head of its chain. `due`: at `due_at`, which is the end of its lease while somebody sends it.
CREATE TABLE webhook_delivery (
  account_id    bigint NOT NULL,
  webhook_id    uuid NOT NULL,
  id            bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  event_uid     uuid NOT NULL,
  event_id      bigint,  -- none: a trial, which tells of nothing
  received_at   timestamptz NOT NULL,
  kind          text COLLATE "C" NOT NULL,
  lane          smallint NOT NULL,
  contact_id    uuid NOT NULL,
  sequence      bigint NOT NULL,
  state         text COLLATE "C" NOT NULL CHECK (state IN ('held', 'due', 'delivered', 'failed')),
  due_at        timestamptz,
  sender        uuid,  -- while somebody sends it: by a name of its own for each time
  attempts      integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  ended_at      timestamptz,
  status        smallint,  -- of the last answer
  trouble       text,      -- of the last failure
  PRIMARY KEY (account_id, webhook_id, id),
  CHECK ((state = 'due') = (due_at IS NOT NULL)),
  CHECK ((state IN ('delivered', 'failed')) = (ended_at IS NOT NULL))
) WITH (fillfactor = 80);
-- Once for each endpoint.
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (account_id, webhook_id, event_uid);
CREATE INDEX webhook_delivery_due ON webhook_delivery (account_id, webhook_id, due_at) WHERE state = 'due';
CREATE INDEX webhook_delivery_held ON webhook_delivery (account_id, webhook_id, lane, contact_id, sequence)
  WHERE state = 'held';

-- The planner takes account and endpoint for independent and would expect one row of both: told this, it does not.
ALTER TABLE webhook_delivery ALTER account_id SET (n_distinct = 1);

-- Endpoints that are gone, until what they were told is too.
CREATE TABLE dropped_webhook (
  account_id bigint NOT NULL,
  webhook_id uuid NOT NULL,
  dropped_at timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, webhook_id)
);

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['webhook', 'webhook_chain', 'webhook_delivery', 'dropped_webhook'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
    EXECUTE format('CREATE POLICY every_account ON %I TO shopbell_worker USING (true)', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('webhook', 'webhook_chain', 'webhook_delivery', 'dropped_webhook')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
GRANT SELECT ON webhook, webhook_chain, webhook_delivery TO shopbell_api, shopbell_reader, shopbell_worker;
GRANT INSERT, DELETE ON webhook TO shopbell_api;
GRANT UPDATE (url, description, kinds, headers, signing_secret, previous_signing_secret, previous_valid_until, state,
              reason, failing_since, rests_until, enabled_at, replay_from, replay_to, replay_at, replay_after, version,
              updated_at)
   ON webhook TO shopbell_api;
GRANT UPDATE (state, reason, failing_since, rests_until, replay_from, replay_to, replay_at, replay_after, version,
              updated_at)
   ON webhook TO shopbell_worker;
GRANT INSERT ON dropped_webhook TO shopbell_api;
-- The API adds trials and has things sent again; all else is the reader's and the senders'.
GRANT INSERT ON webhook_chain, webhook_delivery TO shopbell_api, shopbell_worker;
GRANT UPDATE (last_sequence, head) ON webhook_chain TO shopbell_api, shopbell_worker;
GRANT UPDATE (state, due_at, sender, attempts, failing_since, ended_at) ON webhook_delivery TO shopbell_api;
GRANT UPDATE (state, due_at, sender, attempts, failing_since, ended_at, status, trouble)
   ON webhook_delivery TO shopbell_worker;

-- Makes what is next in each of these chains due, where nothing is. Their rows are locked by the caller.
CREATE FUNCTION move_on(accounts bigint[], webhooks uuid[], lanes smallint[], contacts uuid[]) RETURNS void
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public AS $$
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
  )
  UPDATE webhook_delivery d SET state = 'due', due_at = transaction_timestamp()
    FROM next WHERE d.account_id = next.account_id AND d.webhook_id = next.webhook_id AND d.event_uid = next.head;
END $$;

-- The endpoints that are to be told something, now or later: from one to the next by the index, however much each is to
-- be told.
CREATE FUNCTION endpoints_with_due() RETURNS TABLE (account_id bigint, webhook_id uuid)
  LANGUAGE sql STABLE SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH RECURSIVE endpoint AS (
      (SELECT d.account_id, d.webhook_id FROM webhook_delivery d WHERE d.state = 'due'
        ORDER BY d.account_id, d.webhook_id LIMIT 1)
      UNION ALL
      SELECT next.account_id, next.webhook_id
        FROM endpoint e CROSS JOIN LATERAL
             (SELECT d.account_id, d.webhook_id FROM webhook_delivery d
               WHERE d.state = 'due' AND (d.account_id, d.webhook_id) > (e.account_id, e.webhook_id)
               ORDER BY d.account_id, d.webhook_id LIMIT 1) next
    )
    SELECT w.account_id, w.webhook_id FROM endpoint JOIN webhook w USING (account_id, webhook_id)
     WHERE w.state = 'enabled' AND (w.rests_until IS NULL OR w.rests_until <= transaction_timestamp());
  END;

-- What became of deliveries that somebody took. Who took one later is right: then what the other says of it is nothing.
-- `pauses`, in milliseconds, are those before the next attempt; without one a delivery has ended. `rests` are those that
-- an endpoint asks for.
CREATE FUNCTION settle_deliveries(accounts bigint[], webhooks uuid[], ids bigint[], senders uuid[], heard boolean[],
                                  statuses smallint[], troubles text[], pauses bigint[], rests bigint[],
                                  gives_up interval, steps_aside interval, dead interval) RETURNS void
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public AS $$
DECLARE
  moved record;
BEGIN
  -- The chains first, in the order in which the reader takes them.
  PERFORM FROM webhook_chain c
    JOIN (SELECT DISTINCT d.account_id, d.webhook_id, d.lane, d.contact_id
            FROM unnest(accounts, webhooks, ids) AS o (account_id, webhook_id, id)
            JOIN webhook_delivery d USING (account_id, webhook_id, id)) k
   USING (account_id, webhook_id, lane, contact_id)
   ORDER BY c.account_id, c.webhook_id, c.lane, c.contact_id
     FOR UPDATE OF c;
  WITH outcome AS (
    -- While it was paused it did not fail.
    SELECT o.*, o.heard OR o.pause IS NULL
                OR (d.failing_since < transaction_timestamp() - gives_up
                    AND coalesce(w.enabled_at < transaction_timestamp() - gives_up, true)) IS TRUE AS ended
      FROM unnest(accounts, webhooks, ids, senders, heard, statuses, troubles, pauses)
        AS o (account_id, webhook_id, id, sender, heard, status, trouble, pause)
      JOIN webhook_delivery d USING (account_id, webhook_id, id)
      LEFT JOIN webhook w USING (account_id, webhook_id)
  ), settled AS (
    UPDATE webhook_delivery d
       SET failing_since = coalesce(d.failing_since, CASE WHEN NOT o.heard THEN transaction_timestamp() END),
           status = o.status, trouble = o.trouble, sender = NULL,
           state = CASE WHEN o.heard THEN 'delivered' WHEN o.ended THEN 'failed' ELSE 'due' END,
           ended_at = CASE WHEN o.ended THEN transaction_timestamp() END,
           due_at = CASE WHEN NOT o.ended THEN transaction_timestamp() + make_interval(secs => o.pause / 1000.0) END
      FROM outcome o
     WHERE d.account_id = o.account_id AND d.webhook_id = o.webhook_id AND d.id = o.id AND d.sender = o.sender
       AND d.state = 'due'
    RETURNING d.account_id, d.webhook_id, d.lane, d.contact_id, d.event_uid,
              d.state <> 'due' OR d.failing_since < transaction_timestamp() - steps_aside AS lets_pass
  ), passed AS (
    UPDATE webhook_chain c SET head = NULL
      FROM settled s
     WHERE s.lets_pass AND c.account_id = s.account_id AND c.webhook_id = s.webhook_id AND c.lane = s.lane
       AND c.contact_id = s.contact_id AND c.head = s.event_uid
    RETURNING c.account_id, c.webhook_id, c.lane, c.contact_id
  )
  SELECT array_agg(account_id) AS accounts, array_agg(webhook_id) AS webhooks, array_agg(lane) AS lanes,
         array_agg(contact_id) AS contacts INTO moved FROM passed;
  PERFORM move_on(moved.accounts, moved.webhooks, moved.lanes, moved.contacts);

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

-- Sends again what an endpoint was sent, or now what it will be sent: in order, by the numbers they have.
CREATE FUNCTION send_again(of_account bigint, of_webhook uuid, of_ids bigint[]) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public AS $$
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
  -- One that is being sent has a sender and is left alone.
  UPDATE webhook_delivery SET due_at = transaction_timestamp()
   WHERE account_id = of_account AND webhook_id = of_webhook AND id = ANY (of_ids) AND state = 'due'
     AND due_at > transaction_timestamp() AND sender IS NULL;
  GET DIAGNOSTICS sooner = ROW_COUNT;
  PERFORM move_on(again.accounts, again.webhooks, again.lanes, again.contacts);
  RETURN again.count + sooner;
END $$;

-- Goes on with one replay, the one that waits longest: looks through as many deliveries as `most`, and has as many as
-- `sent` sent again, whose chains are locked meanwhile. Says how many it went through.
CREATE FUNCTION step_replay(most integer, sent integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public AS $$
DECLARE
  wish webhook;
  page record;
BEGIN
  SELECT * INTO wish FROM webhook WHERE replay_from IS NOT NULL ORDER BY replay_at, account_id, webhook_id LIMIT 1
     FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH looked AS (
    SELECT id, received_at FROM webhook_delivery
     WHERE account_id = wish.account_id AND webhook_id = wish.webhook_id AND id > wish.replay_after
     ORDER BY id LIMIT most
  ), wanted AS (
    SELECT id FROM looked WHERE received_at >= wish.replay_from AND received_at < wish.replay_to ORDER BY id LIMIT sent
  )
  SELECT array_agg(wanted.id) AS ids, count(*) AS taken, max(wanted.id) AS last_taken,
         (SELECT count(*) FROM looked) AS looked, (SELECT max(id) FROM looked) AS last_looked
    INTO page FROM wanted;
  IF page.taken > 0 THEN PERFORM send_again(wish.account_id, wish.webhook_id, page.ids); END IF;
  IF page.taken < sent AND page.looked < most THEN
    UPDATE webhook SET replay_from = NULL, replay_to = NULL, replay_at = NULL, replay_after = 0, version = version + 1,
                       updated_at = transaction_timestamp()
     WHERE account_id = wish.account_id AND webhook_id = wish.webhook_id;
  ELSE
    UPDATE webhook SET replay_at = transaction_timestamp(),
                       replay_after = CASE WHEN page.taken < sent THEN page.last_looked ELSE page.last_taken END
     WHERE account_id = wish.account_id AND webhook_id = wish.webhook_id;
  END IF;
  RETURN greatest(page.looked, 1);
END $$;

-- Deliveries older than `kept`, heard or not, of some endpoints that have such; what waited behind them waits no
-- longer. Whoever comes while another is at it leaves it to that one.
CREATE FUNCTION forget_deliveries(kept interval, most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  old  record;
  gone record;
  done bigint := 0;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('forget_deliveries', 0)) THEN RETURN 0; END IF;
  FOR old IN
    SELECT w.account_id, w.webhook_id, d.ids
      FROM webhook w
     CROSS JOIN LATERAL (SELECT first.received_at FROM webhook_delivery first
                          WHERE first.account_id = w.account_id AND first.webhook_id = w.webhook_id
                          ORDER BY first.id LIMIT 1) oldest
     CROSS JOIN LATERAL (SELECT array_agg(id) AS ids
                           FROM (SELECT id, received_at FROM webhook_delivery
                                  WHERE account_id = w.account_id AND webhook_id = w.webhook_id
                                  ORDER BY id LIMIT most / 20 + 1) eldest
                          WHERE received_at < transaction_timestamp() - kept) d
     WHERE oldest.received_at < transaction_timestamp() - kept
     LIMIT 20
  LOOP
    -- The chains first, as everybody takes them.
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
    done := done + gone.count;
  END LOOP;
  RETURN done;
END $$;

-- What is left of an endpoint that was deleted, once whoever was reading for it has ended.
CREATE FUNCTION purge_dropped_webhooks(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  dropped dropped_webhook;
  removed bigint;
  more    bigint;
BEGIN
  SELECT * INTO dropped FROM dropped_webhook
   WHERE dropped_at < transaction_timestamp() - interval '1 minute'
   ORDER BY dropped_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  DELETE FROM webhook_delivery d
   USING (SELECT id FROM webhook_delivery
           WHERE account_id = dropped.account_id AND webhook_id = dropped.webhook_id LIMIT most) batch
   WHERE d.account_id = dropped.account_id AND d.webhook_id = dropped.webhook_id AND d.id = batch.id;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM webhook_chain c
   USING (SELECT lane, contact_id FROM webhook_chain
           WHERE account_id = dropped.account_id AND webhook_id = dropped.webhook_id LIMIT most) batch
   WHERE c.account_id = dropped.account_id AND c.webhook_id = dropped.webhook_id AND c.lane = batch.lane
     AND c.contact_id = batch.contact_id;
  GET DIAGNOSTICS more = ROW_COUNT;
  IF removed + more > 0 THEN RETURN removed + more; END IF;
  DELETE FROM dropped_webhook WHERE account_id = dropped.account_id AND webhook_id = dropped.webhook_id;
  RETURN 1;
END $$;

DO $$
DECLARE signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['move_on(bigint[], uuid[], smallint[], uuid[])',
      'settle_deliveries(bigint[], uuid[], bigint[], uuid[], boolean[], smallint[], text[], bigint[], bigint[], interval, '
        'interval, interval)', 'endpoints_with_due()',
      'send_again(bigint, uuid, bigint[])', 'step_replay(integer, integer)', 'forget_deliveries(interval, integer)',
      'purge_dropped_webhooks(integer)']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_worker', signature);
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION move_on(bigint[], uuid[], smallint[], uuid[]), send_again(bigint, uuid, bigint[])
   TO shopbell_api;
