-- The whole schema on one page. Generated from the migrations by tools/generate; nothing runs it.

CREATE FUNCTION public.account_tables() RETURNS text[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    RETURN ARRAY['key_use'::text, 'api_key'::text, 'job'::text, 'webhook_queue'::text, 'webhook'::text, 'engine_interest'::text, 'workflow_schedule'::text, 'message'::text, 'run'::text, 'run_history'::text, 'enrolment'::text, 'timer'::text, 'subject_wait'::text, 'purchase_attribution'::text, 'count_delta'::text, 'node_count'::text, 'workflow_reference'::text, 'workflow_version'::text, 'workflow'::text, 'template_version'::text, 'template'::text, 'event_type'::text, 'event_type_counter'::text, 'integration'::text, 'coupon_claim'::text, 'coupon_redemption'::text, 'coupon'::text, 'coupon_slot'::text, 'coupon_set'::text, 'purchase'::text, 'consent'::text, 'merged_contact'::text, 'contact_facet'::text, 'contact'::text, 'contact_field'::text, 'contact_field_counter'::text, 'product'::text, 'event'::text, 'webhook_delivery'::text, 'webhook_chain'::text, 'event_claim'::text, 'claim'::text, 'import_failure'::text, 'rejected_event'::text, 'erased_contact'::text, 'erasure'::text, 'suppression'::text, 'dropped_contact_field'::text, 'dropped_coupon_set'::text, 'dropped_webhook'::text, 'log_parked'::text, 'bucket_use'::text, 'store_usage'::text, 'audit'::text];

CREATE TABLE public.webhook (
    account_id bigint NOT NULL,
    webhook_id uuid NOT NULL,
    url text NOT NULL,
    description text,
    kinds text[] NOT NULL COLLATE pg_catalog."C",
    headers jsonb DEFAULT '[]'::jsonb NOT NULL,
    signing_secret bytea NOT NULL,
    previous_signing_secret bytea,
    previous_valid_until timestamp with time zone,
    state text DEFAULT 'enabled'::text NOT NULL COLLATE pg_catalog."C",
    reason text COLLATE pg_catalog."C",
    failing_since timestamp with time zone,
    rests_until timestamp with time zone,
    enabled_at timestamp with time zone,
    replay_from timestamp with time zone,
    replay_to timestamp with time zone,
    replay_at timestamp with time zone,
    replay_after bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    event_type text,
    CONSTRAINT webhook_check CHECK (((state = 'enabled'::text) = (reason IS NULL))),
    CONSTRAINT webhook_check1 CHECK (((replay_from IS NULL) = (replay_to IS NULL))),
    CONSTRAINT webhook_check2 CHECK (((previous_signing_secret IS NULL) = (previous_valid_until IS NULL))),
    CONSTRAINT webhook_reason_check CHECK ((reason = ANY (ARRAY['requested'::text, 'failing'::text, 'gone'::text]))),
    CONSTRAINT webhook_state_check CHECK ((state = ANY (ARRAY['enabled'::text, 'paused'::text, 'disabled'::text]))),
    CONSTRAINT webhook_url_check CHECK ((octet_length(url) <= 8192))
);

COMMENT ON COLUMN public.webhook.account_id IS 'not personal';
COMMENT ON COLUMN public.webhook.webhook_id IS 'not personal';
COMMENT ON COLUMN public.webhook.url IS 'not personal';
COMMENT ON COLUMN public.webhook.description IS 'not personal';
COMMENT ON COLUMN public.webhook.kinds IS 'not personal';
COMMENT ON COLUMN public.webhook.headers IS 'not personal';
COMMENT ON COLUMN public.webhook.signing_secret IS 'not personal';
COMMENT ON COLUMN public.webhook.previous_signing_secret IS 'not personal';
COMMENT ON COLUMN public.webhook.previous_valid_until IS 'not personal';
COMMENT ON COLUMN public.webhook.state IS 'not personal';
COMMENT ON COLUMN public.webhook.reason IS 'not personal';
COMMENT ON COLUMN public.webhook.failing_since IS 'not personal';
COMMENT ON COLUMN public.webhook.rests_until IS 'not personal';
COMMENT ON COLUMN public.webhook.enabled_at IS 'not personal';
COMMENT ON COLUMN public.webhook.replay_from IS 'not personal';
COMMENT ON COLUMN public.webhook.replay_to IS 'not personal';
COMMENT ON COLUMN public.webhook.replay_at IS 'not personal';
COMMENT ON COLUMN public.webhook.replay_after IS 'not personal';
COMMENT ON COLUMN public.webhook.version IS 'not personal';
COMMENT ON COLUMN public.webhook.created_at IS 'not personal';
COMMENT ON COLUMN public.webhook.updated_at IS 'not personal';
COMMENT ON COLUMN public.webhook.event_type IS 'not personal';

CREATE FUNCTION public.accounts_of_reader(of_reader text) RETURNS SETOF bigint
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 SELECT DISTINCT webhook.account_id
    FROM public.webhook
   WHERE ((accounts_of_reader.of_reader = 'webhooks'::text) AND (webhook.state <> 'disabled'::text));
END;

CREATE FUNCTION public.add_webhook_queue() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  INSERT INTO webhook_queue (account_id, webhook_id) VALUES (NEW.account_id, NEW.webhook_id);
  RETURN NULL;
END $$;

CREATE FUNCTION public.advance(me uuid, name text, groups smallint[], generations bigint[], from_ticks bigint[], from_throughs bigint[], from_ids bigint[], to_tick bigint, to_through bigint, to_id bigint) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM fence_lanes(me, name, groups, generations, from_ticks, from_throughs, from_ids);
  PERFORM save_position(name, groups, to_tick, to_through, to_id);
END $$;

CREATE FUNCTION public.advance_intake(me uuid, of_topic text, partitions smallint[], generations bigint[], from_offsets bigint[], to_offsets bigint[], sent_to smallint[], senders uuid[], numbers bigint[]) RETURNS TABLE(partition smallint, sender uuid, number bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE moved integer;
BEGIN
  UPDATE intake_position p SET next_offset = held.to_offset
    FROM unnest(partitions, generations, from_offsets, to_offsets)
      AS held (partition, generation, from_offset, to_offset)
   WHERE p.topic = of_topic AND p.partition = held.partition AND p.owner = me AND p.generation = held.generation
     AND p.next_offset IS NOT DISTINCT FROM held.from_offset;
  GET DIAGNOSTICS moved = ROW_COUNT;
  PERFORM require(moved = cardinality(partitions) AND sent_to <@ partitions, 'SB003', 'the partitions have another owner or position');
  -- Behind the fence these rows are the caller's alone.
  RETURN QUERY SELECT s.partition, s.sender, s.number
                 FROM unnest(sent_to, senders) AS sent (partition, sender)
                 JOIN intake_sender s ON s.topic = of_topic AND s.partition = sent.partition AND s.sender = sent.sender;
  INSERT INTO intake_sender AS s (topic, partition, sender, number)
    SELECT of_topic, sent.* FROM unnest(sent_to, senders, numbers) AS sent (partition, sender, number)
    ON CONFLICT (topic, partition, sender)
      DO UPDATE SET number = greatest(s.number, excluded.number), seen_at = transaction_timestamp();
END $$;

CREATE FUNCTION public.advance_next_due(accounts bigint[], webhooks uuid[]) RETURNS TABLE(account_id bigint, webhook_id uuid, next_due_at timestamp with time zone, is_due boolean)
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.advance_usage(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  here      CONSTANT text := this_database();
  last      usage_position;
  begun     xid8;    -- of transactions from here on no event is counted
  pending   xid8[];  -- earlier ones that were in flight
  until     xid8;
  caught_up boolean;
BEGIN
  SELECT * INTO last FROM usage_position FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  IF last.database <> here THEN  -- a dump was loaded: its transaction numbers mean nothing here
    WITH marked AS (UPDATE store_usage SET stale = true)
    UPDATE usage_position
       SET database = here, shows = pg_current_snapshot(), since = transaction_timestamp() - interval '10 minutes',
           at = transaction_timestamp();
    RETURN 1;
  END IF;
  begun := pg_snapshot_xmax(last.shows);
  pending := ARRAY(SELECT pg_snapshot_xip(last.shows));
  caught_up := pg_snapshot_xmax(pg_current_snapshot())::text::numeric <= begun::text::numeric + most;
  until := CASE WHEN caught_up THEN '18446744073709551615' ELSE (begun::text::numeric + most)::text END::xid8;
  WITH batch AS MATERIALIZED (
    SELECT account_id, xid, subject, kind, received_at FROM event
     WHERE xid >= begun AND xid < until AND received_at >= last.since
    UNION ALL
    SELECT account_id, xid, subject, kind, received_at FROM event
     WHERE xid = ANY (pending) AND received_at >= last.since
  ), moment AS MATERIALIZED (
    SELECT t.at, date_trunc('month', t.at, 'UTC') AS month
      FROM (SELECT greatest(last.at, max(received_at), CASE WHEN caught_up THEN transaction_timestamp() END) AS at
              FROM batch) t
  ), purchase_change AS (
    SELECT account_id, sum(created - CASE WHEN updated = 0 THEN deleted ELSE 0 END) AS purchases
      FROM (SELECT account_id, count(*) FILTER (WHERE kind = 'purchase.created') AS created,
                   count(*) FILTER (WHERE kind = 'purchase.updated') AS updated,
                   count(*) FILTER (WHERE kind = 'purchase.deleted') AS deleted
              FROM batch WHERE kind IN ('purchase.created', 'purchase.updated', 'purchase.deleted')
             GROUP BY account_id, xid, subject) p
     GROUP BY account_id
  ), change AS (
    SELECT account_id,
           count(*) FILTER (WHERE kind = 'contact.created')
             - count(*) FILTER (WHERE kind IN ('contact.deleted', 'contact.merged')) AS contacts,
           count(*) FILTER (WHERE kind = 'product.created')
             - count(*) FILTER (WHERE kind = 'product.deleted') AS products,
           count(*) FILTER (WHERE received_at >= month) AS events
      FROM batch CROSS JOIN moment
     GROUP BY account_id
  ), added AS (
    UPDATE store_usage u
       SET contacts = u.contacts + c.contacts, products = u.products + c.products,
           purchases = u.purchases + coalesce(p.purchases, 0),
           events_this_month = CASE WHEN u.as_of >= m.month THEN u.events_this_month ELSE 0 END + c.events,
           as_of = greatest(u.as_of, m.at)
      FROM change c LEFT JOIN purchase_change p USING (account_id) CROSS JOIN moment m
     WHERE u.account_id = c.account_id AND NOT u.stale
  ), recounted AS (
    UPDATE store_usage u
       SET contacts = (SELECT count(*) FROM contact x WHERE x.account_id = u.account_id),
           products = (SELECT count(*) FROM product x WHERE x.account_id = u.account_id),
           purchases = (SELECT count(*) FROM purchase x WHERE x.account_id = u.account_id),
           events_this_month = (SELECT count(*) FROM event x
                                 WHERE x.account_id = u.account_id AND x.received_at >= m.month),
           as_of = m.at, stale = false
      FROM (SELECT account_id FROM store_usage WHERE stale AND caught_up LIMIT 20) s CROSS JOIN moment m
     WHERE u.account_id = s.account_id
  ), next AS (
    SELECT CASE WHEN caught_up THEN now
                ELSE format('%s:%s:%s', least(pg_snapshot_xmin(now), until), until,
                            (SELECT string_agg(x::text, ',' ORDER BY x) FROM pg_snapshot_xip(now) x
                              WHERE x < until))::pg_snapshot
            END AS shows
      FROM pg_current_snapshot() AS now
  )
  UPDATE usage_position
     SET shows = next.shows, at = moment.at,
         -- Transactions that were in flight at the last position may be older than it. None of the service takes longer
         -- than ten minutes, so the others began later than that before it.
         since = CASE WHEN pg_snapshot_xmin(next.shows) >= begun THEN last.at - interval '10 minutes'
                      ELSE last.since END
    FROM next CROSS JOIN moment;
  RETURN (NOT caught_up OR EXISTS (SELECT FROM store_usage WHERE stale))::integer;
END $$;

CREATE FUNCTION public.analyze_grown() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('shopbell.analyze_grown')) THEN RETURN 0; END IF;
  SELECT c.oid INTO grown
    FROM pg_class c
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
     AND c.relowner = current_user::regrole  -- of others PostgreSQL would say that it was left out, each time anew
     AND (pg_relation_size(c.oid) / current_setting('block_size')::integer > 2 * greatest(c.relpages, 8)
          OR pg_stat_get_live_tuples(c.oid) > 2 * greatest(c.reltuples, 500))
   LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  EXECUTE format('ANALYZE %s', grown);
  RETURN 1;
END $$;

CREATE FUNCTION public.uuid_v7() RETURNS uuid
    LANGUAGE sql
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send((floor((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric)))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE TABLE public.account (
    account_id bigint NOT NULL,
    live_account_id bigint,
    id uuid NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    name text NOT NULL,
    url text,
    time_zone text NOT NULL,
    currency text NOT NULL,
    locale text NOT NULL,
    country text,
    domains text[] DEFAULT '{}'::text[] NOT NULL,
    marketing_requires text DEFAULT 'subscribed'::text NOT NULL,
    marketing_per_day integer,
    marketing_per_week integer,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    requests_per_second integer,
    request_burst integer,
    delete_at timestamp with time zone,
    state_on_restore text,
    deletion_began_at timestamp with time zone,
    deletion_step_at timestamp with time zone,
    deleted_rows bigint DEFAULT 0 NOT NULL,
    CONSTRAINT account_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT account_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT account_marked_check CHECK (((delete_at IS NULL) OR (state = 'suspended'::text))),
    CONSTRAINT account_marketing_per_day_check CHECK ((marketing_per_day >= 0)),
    CONSTRAINT account_marketing_per_week_check CHECK ((marketing_per_week >= 0)),
    CONSTRAINT account_marketing_requires_check CHECK ((marketing_requires = ANY (ARRAY['subscribed'::text, 'notUnsubscribed'::text]))),
    CONSTRAINT account_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT account_request_burst_check CHECK ((request_burst > 0)),
    CONSTRAINT account_requests_per_second_check CHECK ((requests_per_second > 0)),
    CONSTRAINT account_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text]))),
    CONSTRAINT account_step_check CHECK (((num_nulls(delete_at, state_on_restore, deletion_step_at) = ANY (ARRAY[0, 3])) AND ((deletion_began_at IS NULL) OR (delete_at IS NOT NULL)))),
    CONSTRAINT account_url_check CHECK ((octet_length(url) <= 2048))
);

COMMENT ON COLUMN public.account.account_id IS 'not personal';
COMMENT ON COLUMN public.account.live_account_id IS 'not personal';
COMMENT ON COLUMN public.account.id IS 'not personal';
COMMENT ON COLUMN public.account.state IS 'not personal';
COMMENT ON COLUMN public.account.name IS 'not personal';
COMMENT ON COLUMN public.account.url IS 'not personal';
COMMENT ON COLUMN public.account.time_zone IS 'not personal';
COMMENT ON COLUMN public.account.currency IS 'not personal';
COMMENT ON COLUMN public.account.locale IS 'not personal';
COMMENT ON COLUMN public.account.country IS 'not personal';
COMMENT ON COLUMN public.account.domains IS 'not personal';
COMMENT ON COLUMN public.account.marketing_requires IS 'not personal';
COMMENT ON COLUMN public.account.marketing_per_day IS 'not personal';
COMMENT ON COLUMN public.account.marketing_per_week IS 'not personal';
COMMENT ON COLUMN public.account.version IS 'not personal';
COMMENT ON COLUMN public.account.created_at IS 'not personal';
COMMENT ON COLUMN public.account.updated_at IS 'not personal';
COMMENT ON COLUMN public.account.requests_per_second IS 'not personal';
COMMENT ON COLUMN public.account.request_burst IS 'not personal';
COMMENT ON COLUMN public.account.delete_at IS 'not personal';
COMMENT ON COLUMN public.account.state_on_restore IS 'not personal';
COMMENT ON COLUMN public.account.deletion_began_at IS 'not personal';
COMMENT ON COLUMN public.account.deletion_step_at IS 'not personal';
COMMENT ON COLUMN public.account.deleted_rows IS 'not personal';

CREATE TABLE public.event (
    account_id bigint NOT NULL,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    id bigint NOT NULL,
    uid uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid,
    contact_seq bigint,
    subject text,
    kind text NOT NULL COLLATE pg_catalog."C",
    format smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    trigger text NOT NULL,
    hops smallint NOT NULL,
    cause_uid uuid,
    source text NOT NULL,
    trace text,
    payload jsonb,
    CONSTRAINT event_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
)
PARTITION BY RANGE (received_at);

COMMENT ON COLUMN public.event.account_id IS 'not personal';
COMMENT ON COLUMN public.event.received_at IS 'not personal';
COMMENT ON COLUMN public.event.id IS 'not personal';
COMMENT ON COLUMN public.event.uid IS 'not personal';
COMMENT ON COLUMN public.event.xid IS 'not personal';
COMMENT ON COLUMN public.event.lane IS 'not personal';
COMMENT ON COLUMN public.event.contact_id IS 'not personal';
COMMENT ON COLUMN public.event.contact_seq IS 'not personal';
COMMENT ON COLUMN public.event.subject IS 'not personal';
COMMENT ON COLUMN public.event.kind IS 'not personal';
COMMENT ON COLUMN public.event.format IS 'not personal';
COMMENT ON COLUMN public.event.occurred_at IS 'not personal';
COMMENT ON COLUMN public.event.trigger IS 'not personal';
COMMENT ON COLUMN public.event.hops IS 'not personal';
COMMENT ON COLUMN public.event.cause_uid IS 'not personal';
COMMENT ON COLUMN public.event.source IS 'not personal';
COMMENT ON COLUMN public.event.trace IS 'not personal';
COMMENT ON COLUMN public.event.payload IS 'personal';

CREATE FUNCTION public.append_delivery_ended(of_account bigint, of_lane smallint, of_contact uuid, delivery uuid, after_hops smallint, delivered boolean) RETURNS void
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO public.event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, cause_uid, source, payload)  SELECT a.account_id,
             public.uuid_v7() AS uuid_v7,
             append_delivery_ended.of_lane AS of_lane,
             append_delivery_ended.of_contact AS of_contact,
             'delivery-ended',
             1,
             transaction_timestamp() AS transaction_timestamp,
             'none',
             append_delivery_ended.after_hops AS after_hops,
             append_delivery_ended.delivery AS delivery,
             'webhooks',
             jsonb_build_object('deliveryId', append_delivery_ended.delivery, 'delivered', append_delivery_ended.delivered) AS jsonb_build_object
            FROM public.account a
           WHERE ((a.account_id = append_delivery_ended.of_account) AND ((a.delete_at IS NULL) OR (a.delete_at > transaction_timestamp())));
END;

CREATE FUNCTION public.beat(me uuid, running text, lease interval, readers text[]) RETURNS TABLE(reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  now_at CONSTANT timestamptz := transaction_timestamp();
  alive  uuid[];
  share  integer;
  name   text;
BEGIN
  INSERT INTO heartbeat (at, process) VALUES (now_at, me) ON CONFLICT DO NOTHING;
  -- Ten seconds are deleted, most of them by others before: a search from the oldest would walk all dead rows.
  DELETE FROM heartbeat WHERE at > now_at - interval '70 s' AND at < now_at - interval '60 s';
  IF NOT EXISTS (SELECT FROM running_process WHERE process = me) THEN
    INSERT INTO running_process (process, version, readers) VALUES (me, running, readers) ON CONFLICT DO NOTHING;
    DELETE FROM heartbeat WHERE at <= now_at - interval '70 s' OR at > now_at + interval '1 minute';
  END IF;
  UPDATE running_process p SET beat_at = now_at, readers = beat.readers
   WHERE p.process = me AND (p.beat_at NOT BETWEEN now_at - interval '1 minute' AND now_at
                             OR p.readers <> beat.readers);
  alive := living_processes(lease);
  UPDATE log_ticker SET owner = me, generation = generation + 1 WHERE owner IS NULL OR owner <> ALL (alive);
  FOREACH name IN ARRAY readers LOOP
    share := ceil(64.0 / (SELECT count(*) FROM running_process p
                           WHERE p.process = ANY (alive) AND name = ANY (p.readers)));
    -- A new reader begins with the events from now on.
    IF NOT EXISTS (SELECT FROM lane_owner WHERE reader = name) THEN
      WITH made AS (INSERT INTO lane_owner (reader, lane_group) SELECT name, g FROM generate_series(0, 63) g
                      ON CONFLICT DO NOTHING RETURNING lane_group)
      INSERT INTO lane_position (reader, groups, tick)
        SELECT name, array_agg(lane_group), (SELECT max(tick) FROM log_tick) FROM made HAVING count(*) > 0;
    END IF;
    UPDATE lane_owner o SET owner = NULL
      -- Not those that a transaction of ours is just moving: the heartbeat must not wait for them.
      FROM (SELECT lane_group FROM lane_owner WHERE reader = name AND owner = me
             ORDER BY lane_group DESC
             LIMIT greatest(0, (SELECT count(*) FROM lane_owner WHERE reader = name AND owner = me) - share)
               FOR UPDATE SKIP LOCKED) more
     WHERE o.reader = name AND o.lane_group = more.lane_group AND o.owner = me;
    -- A taker changes the owner first and reads the position afterwards, by the last statement.
    UPDATE lane_owner o SET owner = me, generation = generation + 1
      FROM (SELECT lane_group FROM lane_owner
             WHERE reader = name AND (owner IS NULL OR owner <> ALL (alive))
             ORDER BY lane_group
             LIMIT greatest(0, share - (SELECT count(*) FROM lane_owner WHERE reader = name AND owner = me))
               FOR UPDATE SKIP LOCKED) free
     WHERE o.reader = name AND o.lane_group = free.lane_group;
  END LOOP;
  -- Once per reader: PostgreSQL would expect few groups, and read the positions once for each.
  RETURN QUERY WITH positions AS MATERIALIZED (SELECT r, p.* FROM unnest(readers) r CROSS JOIN LATERAL lane_positions(r) p)
               SELECT o.reader, o.lane_group, o.generation, p.tick, p.through, p.after_id
                 FROM positions p JOIN lane_owner o ON o.reader = p.r AND o.lane_group = p.lane_group
                WHERE o.owner = me ORDER BY o.reader, o.lane_group;
END $$;

CREATE FUNCTION public.beat(me uuid, running text, lease interval, readers text[], keys integer[]) RETURNS TABLE(reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  RETURN QUERY SELECT b.* FROM beat(me, running, lease, readers) b;
  UPDATE running_process p SET keyring_keys = keys WHERE p.process = me AND p.keyring_keys IS DISTINCT FROM keys;
END $$;

CREATE TABLE public.log_ticker (
    one boolean DEFAULT true NOT NULL,
    owner uuid,
    generation bigint DEFAULT 0 NOT NULL,
    incarnation integer DEFAULT 1 NOT NULL,
    CONSTRAINT log_ticker_one_check CHECK (one)
)
WITH (fillfactor='20');

COMMENT ON COLUMN public.log_ticker.one IS 'not personal';
COMMENT ON COLUMN public.log_ticker.owner IS 'not personal';
COMMENT ON COLUMN public.log_ticker.generation IS 'not personal';
COMMENT ON COLUMN public.log_ticker.incarnation IS 'not personal';

CREATE FUNCTION public.begin_log_epoch() RETURNS integer
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 UPDATE public.log_ticker SET incarnation = (log_ticker.incarnation + 1)
   RETURNING log_ticker.incarnation;
END;

CREATE FUNCTION public.claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid, OUT outcome text, OUT code text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  from_set coupon_set;
  person   record;
  given    coupon;
BEGIN
  SELECT c.code INTO code
    FROM coupon_claim k
    JOIN coupon c ON c.account_id = k.account_id AND c.code_key = k.code_key AND c.coupon_set_id = k.coupon_set_id
   WHERE k.account_id = of_account AND k.claim_id = claim;
  IF FOUND THEN
    outcome := 'given';
    RETURN;
  END IF;
  SELECT * INTO from_set FROM coupon_set s WHERE s.account_id = of_account AND s.coupon_set_id = of_set;
  IF NOT FOUND THEN
    outcome := 'no-set';
    RETURN;
  END IF;
  IF from_set.expires_at <= transaction_timestamp() THEN
    outcome := 'expired';
    RETURN;
  END IF;
  SELECT p.contact_id, p.lane INTO person FROM contact p
   WHERE p.account_id = of_account
     AND p.contact_id = coalesce((SELECT m.into_id FROM merged_contact m
                                   WHERE m.account_id = of_account AND m.contact_id = for_contact), for_contact)
     FOR KEY SHARE;
  IF NOT FOUND THEN
    outcome := 'no-contact';
    RETURN;
  END IF;
  IF from_set.kind = 'shared' THEN
    SELECT * INTO given FROM coupon c WHERE c.account_id = of_account AND c.coupon_set_id = of_set LIMIT 1;
  ELSE
    SELECT * INTO given FROM coupon c
     WHERE c.account_id = of_account AND c.coupon_set_id = of_set
       AND c.claim_id IS NULL AND NOT c.redeemed AND NOT c.shared
     ORDER BY c.number LIMIT 1
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      PERFORM require(NOT EXISTS (SELECT FROM coupon c
                                   WHERE c.account_id = of_account AND c.coupon_set_id = of_set
                                     AND c.claim_id IS NULL AND NOT c.redeemed AND NOT c.shared),
                      'SB001', 'the last codes are being taken');
      SELECT c.code INTO code
        FROM coupon_claim k
        JOIN coupon c ON c.account_id = k.account_id AND c.code_key = k.code_key AND c.coupon_set_id = k.coupon_set_id
       WHERE k.account_id = of_account AND k.claim_id = claim;
      outcome := CASE WHEN FOUND THEN 'given' ELSE 'empty' END;
      RETURN;
    END IF;
    UPDATE coupon c SET claim_id = claim WHERE c.account_id = of_account AND c.code_key = given.code_key;
  END IF;
  INSERT INTO coupon_claim (account_id, claim_id, coupon_set_id, code_key, contact_id, run_id)
  VALUES (of_account, claim, of_set, given.code_key, person.contact_id, run);
  PERFORM count_coupons(of_account, of_set, 0, CASE WHEN given.shared THEN 0 ELSE -1 END, 1, 0);
  INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
  VALUES (of_account, uuid_v7(), person.lane, person.contact_id, 'coupon.assigned', 1, transaction_timestamp(), 'all', 0,
          'service', jsonb_build_object('couponSet', from_set.alias, 'code', given.code, 'runId', run));
  IF from_set.low_watermark IS NOT NULL AND NOT from_set.is_low THEN
    PERFORM tell_low_coupon_set(of_account, of_set);
  END IF;
  outcome := 'given';
  code := given.code;
END $$;

CREATE FUNCTION public.claim_coupon_for_run(of_account bigint, set_name text, for_contact uuid, claim uuid, run uuid, of_workflow uuid, at_node text, reuse boolean) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  from_set uuid;
  held     text;
  claimed  record;
BEGIN
  SELECT s.coupon_set_id INTO from_set FROM coupon_set s
   WHERE s.account_id = of_account AND (s.alias = set_name OR s.coupon_set_id::text = set_name);
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF reuse THEN
    SELECT c.code INTO held
      FROM coupon_claim k
      JOIN coupon c ON c.account_id = k.account_id AND c.code_key = k.code_key AND c.coupon_set_id = k.coupon_set_id
     WHERE k.account_id = of_account AND k.contact_id = for_contact AND k.coupon_set_id = from_set
       AND (c.shared OR NOT c.redeemed)
       AND NOT EXISTS (SELECT FROM coupon_set s WHERE s.account_id = of_account AND s.coupon_set_id = from_set
                          AND s.expires_at <= transaction_timestamp())
     ORDER BY k.claimed_at DESC LIMIT 1;
    IF FOUND THEN RETURN held; END IF;
  END IF;
  SELECT * INTO claimed FROM claim_coupon(of_account, from_set, for_contact, claim, run);
  IF claimed.outcome <> 'given' THEN RETURN NULL; END IF;
  UPDATE coupon_claim k SET workflow_id = of_workflow, node = at_node
   WHERE k.account_id = of_account AND k.claim_id = claim AND k.workflow_id IS NULL;
  RETURN claimed.code;
END $$;

CREATE TABLE public.contact_facet (
    account_id bigint NOT NULL,
    facet bigint NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    contact_id uuid NOT NULL
);

COMMENT ON COLUMN public.contact_facet.account_id IS 'not personal';
COMMENT ON COLUMN public.contact_facet.facet IS 'not personal';
COMMENT ON COLUMN public.contact_facet.value IS 'personal';
COMMENT ON COLUMN public.contact_facet.contact_id IS 'not personal';

CREATE FUNCTION public.contact_has(account bigint, contact uuid, kinds bigint[], wanted text[], or_absent boolean[]) RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((cardinality(kinds) = 0) OR (NOT (EXISTS ( SELECT
            FROM UNNEST(contact_has.kinds, contact_has.wanted, contact_has.or_absent) w(kind, value, absent)
           WHERE ((NOT (EXISTS ( SELECT
                    FROM public.contact_facet f
                   WHERE ((f.account_id = contact_has.account) AND (f.facet = w.kind) AND (f.value = w.value) AND (f.contact_id = contact_has.contact))))) AND (NOT (w.absent AND (NOT (EXISTS ( SELECT
                    FROM public.contact_facet f
                   WHERE ((f.account_id = contact_has.account) AND (f.contact_id = contact_has.contact) AND (f.facet = w.kind))))))))))));
END;

CREATE TABLE public.run (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    run_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    lane smallint NOT NULL,
    state text NOT NULL,
    node text NOT NULL,
    seq integer NOT NULL,
    key text NOT NULL,
    enrolment_key text NOT NULL COLLATE pg_catalog."C",
    started_at timestamp with time zone NOT NULL,
    node_since timestamp with time zone NOT NULL,
    due_at timestamp with time zone,
    timer_at timestamp with time zone,
    trigger_at timestamp with time zone,
    trigger_id bigint,
    trigger_data json,
    schedule_date text,
    visits integer NOT NULL,
    message_id uuid,
    delivery_id uuid,
    has_sent boolean NOT NULL,
    converted boolean NOT NULL,
    data json,
    seen text NOT NULL,
    trail text NOT NULL,
    why text,
    CONSTRAINT run_lane_check CHECK (((lane >= 0) AND (lane <= 1023))),
    CONSTRAINT run_state_check CHECK ((state = ANY (ARRAY['open'::text, 'held'::text, 'parked'::text, 'done'::text])))
)
WITH (fillfactor='80');

COMMENT ON COLUMN public.run.account_id IS 'not personal';
COMMENT ON COLUMN public.run.contact_id IS 'not personal';
COMMENT ON COLUMN public.run.run_id IS 'not personal';
COMMENT ON COLUMN public.run.workflow_id IS 'not personal';
COMMENT ON COLUMN public.run.version IS 'not personal';
COMMENT ON COLUMN public.run.lane IS 'not personal';
COMMENT ON COLUMN public.run.state IS 'not personal';
COMMENT ON COLUMN public.run.node IS 'not personal';
COMMENT ON COLUMN public.run.seq IS 'not personal';
COMMENT ON COLUMN public.run.key IS 'personal';
COMMENT ON COLUMN public.run.enrolment_key IS 'personal';
COMMENT ON COLUMN public.run.started_at IS 'not personal';
COMMENT ON COLUMN public.run.node_since IS 'not personal';
COMMENT ON COLUMN public.run.due_at IS 'not personal';
COMMENT ON COLUMN public.run.timer_at IS 'not personal';
COMMENT ON COLUMN public.run.trigger_at IS 'not personal';
COMMENT ON COLUMN public.run.trigger_id IS 'not personal';
COMMENT ON COLUMN public.run.trigger_data IS 'personal';
COMMENT ON COLUMN public.run.schedule_date IS 'not personal';
COMMENT ON COLUMN public.run.visits IS 'not personal';
COMMENT ON COLUMN public.run.message_id IS 'not personal';
COMMENT ON COLUMN public.run.delivery_id IS 'not personal';
COMMENT ON COLUMN public.run.has_sent IS 'not personal';
COMMENT ON COLUMN public.run.converted IS 'not personal';
COMMENT ON COLUMN public.run.data IS 'personal';
COMMENT ON COLUMN public.run.seen IS 'not personal';
COMMENT ON COLUMN public.run.trail IS 'not personal';
COMMENT ON COLUMN public.run.why IS 'not personal';

CREATE FUNCTION public.copy_run_triggers(most integer, age interval) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH old AS (
          SELECT r.account_id,
             r.contact_id,
             r.run_id,
             r.trigger_at,
             r.trigger_id
            FROM public.run r
           WHERE ((r.trigger_data IS NULL) AND (r.trigger_at < (transaction_timestamp() - copy_run_triggers.age)))
          LIMIT copy_run_triggers.most
          FOR UPDATE OF r SKIP LOCKED
         ), copied AS (
          UPDATE public.run AS r SET seq = (r.seq + 1), trigger_data = COALESCE(( SELECT json_build_object('id', e.uid, 'kind', e.kind, 'occurredAt', to_char((e.occurred_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text), 'receivedAt', to_char((e.received_at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'::text), 'contactId', e.contact_id, 'data', e.payload) AS json_build_object
                    FROM public.event e
                   WHERE ((e.account_id = o.account_id) AND (e.received_at = o.trigger_at) AND (e.id = o.trigger_id) AND (e.payload IS NOT NULL))), 'null'::json)
            FROM old o
           WHERE ((r.account_id = o.account_id) AND (r.contact_id = o.contact_id) AND (r.run_id = o.run_id))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM copied;
END;

CREATE TABLE public.coupon_slot (
    account_id bigint NOT NULL,
    coupon_set_id uuid NOT NULL,
    slot smallint NOT NULL,
    total bigint NOT NULL,
    available bigint NOT NULL,
    assigned bigint NOT NULL,
    redeemed bigint NOT NULL,
    CONSTRAINT coupon_slot_slot_check CHECK (((slot >= 0) AND (slot <= 63)))
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.coupon_slot.account_id IS 'not personal';
COMMENT ON COLUMN public.coupon_slot.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.coupon_slot.slot IS 'not personal';
COMMENT ON COLUMN public.coupon_slot.total IS 'not personal';
COMMENT ON COLUMN public.coupon_slot.available IS 'not personal';
COMMENT ON COLUMN public.coupon_slot.assigned IS 'not personal';
COMMENT ON COLUMN public.coupon_slot.redeemed IS 'not personal';

CREATE FUNCTION public.count_coupons(of_account bigint, of_set uuid, more_total bigint, more_available bigint, more_assigned bigint, more_redeemed bigint) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO public.coupon_slot AS s (account_id, coupon_set_id, slot, total, available, assigned, redeemed)
   VALUES (count_coupons.of_account, count_coupons.of_set, (pg_backend_pid() % 64), count_coupons.more_total, count_coupons.more_available, count_coupons.more_assigned, count_coupons.more_redeemed) ON CONFLICT(account_id, coupon_set_id, slot) DO UPDATE SET total = (s.total + excluded.total), available = (s.available + excluded.available), assigned = (s.assigned + excluded.assigned), redeemed = (s.redeemed + excluded.redeemed);
END;

CREATE FUNCTION public.count_revenue() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO count_delta (account_id, workflow_id, node, counter, delta, amount)
      SELECT r.account_id, r.workflow_id, n.node, 'revenue', 0, -sum(r.amount)
        FROM removed r CROSS JOIN LATERAL (SELECT '' AS node UNION SELECT coalesce(r.node, '')) n
       GROUP BY r.account_id, r.workflow_id, n.node HAVING sum(r.amount) <> 0;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO count_delta (account_id, workflow_id, node, counter, delta, amount)
      SELECT a.account_id, a.workflow_id, n.node, 'revenue', 0, sum(a.amount)
        FROM added a CROSS JOIN LATERAL (SELECT '' AS node UNION SELECT coalesce(a.node, '')) n
       GROUP BY a.account_id, a.workflow_id, n.node HAVING sum(a.amount) <> 0;
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.count_usage(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT public.advance_usage(20000) AS advance_usage;
END;

CREATE FUNCTION public.current_account() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('shopbell.account'::text, true), ''::text))::bigint;

CREATE FUNCTION public.delete_account_rows(most integer, settles interval, upload_lease interval) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    AS $_$
DECLARE
  doomed account;
  part   regclass;
  gone   bigint;
  total  bigint := 0;
BEGIN
  SELECT * INTO doomed FROM account
   WHERE deletion_step_at <= transaction_timestamp() AND delete_at <= transaction_timestamp()
   ORDER BY deletion_step_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE stored_file SET remove_at = transaction_timestamp()
   WHERE account_id = doomed.account_id AND remove_at > transaction_timestamp() + upload_lease;
  FOR part IN  -- the table, or its partitions: a ctid is unique within one partition only
    SELECT coalesce(i.inhrelid, t.name::regclass)
      FROM unnest(account_tables()) WITH ORDINALITY AS t (name, number)
      LEFT JOIN pg_inherits i ON i.inhparent = t.name::regclass
     ORDER BY t.number
  LOOP
    EXECUTE format('DELETE FROM %s WHERE ctid = ANY (ARRAY (
                      SELECT ctid FROM %s WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))', part, part)
      USING doomed.account_id, most - total;
    GET DIAGNOSTICS gone = ROW_COUNT;
    total := total + gone;
    EXIT WHEN total >= most;
  END LOOP;
  IF total = 0 AND doomed.deletion_began_at <= transaction_timestamp() - settles
     AND NOT EXISTS (SELECT FROM stored_file WHERE account_id = doomed.account_id)
     AND NOT EXISTS (SELECT FROM account WHERE live_account_id = doomed.account_id)
     AND NOT has_account_rows(doomed.account_id) THEN
    DELETE FROM account WHERE account_id = doomed.account_id;
    RETURN 1;
  END IF;
  UPDATE account
     SET deletion_began_at = coalesce(deletion_began_at, transaction_timestamp()),
         deletion_step_at = transaction_timestamp() + CASE WHEN total = 0 THEN interval '1 second' ELSE '0' END,
         deleted_rows = deleted_rows + total
   WHERE account_id = doomed.account_id;
  RETURN total;
END $_$;

CREATE TABLE public.claim (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
)
PARTITION BY HASH (key_hash);

COMMENT ON COLUMN public.claim.account_id IS 'not personal';
COMMENT ON COLUMN public.claim.kind IS 'not personal';
COMMENT ON COLUMN public.claim.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim.answer IS 'personal';
COMMENT ON COLUMN public.claim.made_at IS 'not personal';

CREATE FUNCTION public.delete_expired_claims(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH expired AS (
          SELECT claim.account_id,
             claim.kind,
             claim.key_hash
            FROM public.claim
           WHERE (claim.made_at <= (transaction_timestamp() - '7 days'::interval))
          LIMIT delete_expired_claims.most
          FOR UPDATE OF claim SKIP LOCKED
         ), gone AS (
          DELETE FROM public.claim AS c
            USING expired e
           WHERE ((c.account_id = e.account_id) AND (c.kind = e.kind) AND (c.key_hash = e.key_hash))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE TABLE public.event_claim (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
)
PARTITION BY HASH (key_hash);

COMMENT ON COLUMN public.event_claim.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim.made_at IS 'not personal';

CREATE FUNCTION public.delete_expired_event_claims(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH expired AS (
          SELECT event_claim.account_id,
             event_claim.key_hash
            FROM public.event_claim
           WHERE (event_claim.made_at <= (transaction_timestamp() - '35 days'::interval))
          LIMIT delete_expired_event_claims.most
          FOR UPDATE OF event_claim SKIP LOCKED
         ), gone AS (
          DELETE FROM public.event_claim AS c
            USING expired e
           WHERE ((c.account_id = e.account_id) AND (c.key_hash = e.key_hash))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE TABLE public.audit (
    account_id bigint NOT NULL,
    audit_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    actor text NOT NULL COLLATE pg_catalog."C",
    actor_id uuid,
    operation text NOT NULL COLLATE pg_catalog."C",
    object text NOT NULL COLLATE pg_catalog."C",
    members text[] NOT NULL,
    request_id text,
    address text,
    CONSTRAINT audit_actor_check CHECK ((actor = ANY (ARRAY['key'::text, 'user'::text, 'command'::text, 'import'::text, 'queue'::text, 'engine'::text, 'system'::text])))
);

COMMENT ON COLUMN public.audit.account_id IS 'not personal';
COMMENT ON COLUMN public.audit.audit_id IS 'not personal';
COMMENT ON COLUMN public.audit.at IS 'not personal';
COMMENT ON COLUMN public.audit.actor IS 'not personal';
COMMENT ON COLUMN public.audit.actor_id IS 'not personal';
COMMENT ON COLUMN public.audit.operation IS 'not personal';
COMMENT ON COLUMN public.audit.object IS 'not personal';
COMMENT ON COLUMN public.audit.members IS 'not personal';
COMMENT ON COLUMN public.audit.request_id IS 'not personal';
COMMENT ON COLUMN public.audit.address IS 'personal';

CREATE FUNCTION public.delete_old_audit(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH old AS (
          SELECT audit.account_id,
             audit.audit_id
            FROM public.audit
           WHERE (audit.at <= (transaction_timestamp() - '400 days'::interval))
           ORDER BY audit.at
          LIMIT delete_old_audit.most
          FOR UPDATE OF audit SKIP LOCKED
         ), gone AS (
          DELETE FROM public.audit AS a
            USING old o
           WHERE ((a.account_id = o.account_id) AND (a.audit_id = o.audit_id))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE TABLE public.erasure (
    account_id bigint NOT NULL,
    identifier_hash bytea NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    CONSTRAINT erasure_identifier_hash_check CHECK ((octet_length(identifier_hash) = 32))
);

COMMENT ON COLUMN public.erasure.account_id IS 'not personal';
COMMENT ON COLUMN public.erasure.identifier_hash IS 'not personal';
COMMENT ON COLUMN public.erasure.erased_at IS 'not personal';

CREATE FUNCTION public.delete_old_erasures(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH old AS (
          SELECT erasure.account_id,
             erasure.identifier_hash
            FROM public.erasure
           WHERE (erasure.erased_at < (transaction_timestamp() - '30 days'::interval))
          LIMIT delete_old_erasures.most
          FOR UPDATE OF erasure SKIP LOCKED
         ), gone AS (
          DELETE FROM public.erasure AS e
            USING old o
           WHERE ((e.account_id = o.account_id) AND (e.identifier_hash = o.identifier_hash))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE TABLE public.rejected_event (
    account_id bigint NOT NULL,
    id uuid NOT NULL,
    event_type_id uuid NOT NULL,
    received_at timestamp with time zone NOT NULL,
    rejected_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    code text NOT NULL,
    problem json NOT NULL,
    message json NOT NULL,
    identifiers bytea[] NOT NULL
);

COMMENT ON COLUMN public.rejected_event.account_id IS 'not personal';
COMMENT ON COLUMN public.rejected_event.id IS 'not personal';
COMMENT ON COLUMN public.rejected_event.event_type_id IS 'not personal';
COMMENT ON COLUMN public.rejected_event.received_at IS 'not personal';
COMMENT ON COLUMN public.rejected_event.rejected_at IS 'not personal';
COMMENT ON COLUMN public.rejected_event.code IS 'not personal';
COMMENT ON COLUMN public.rejected_event.problem IS 'personal';
COMMENT ON COLUMN public.rejected_event.message IS 'personal';
COMMENT ON COLUMN public.rejected_event.identifiers IS 'not personal';

CREATE FUNCTION public.delete_old_rejected_events(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH old AS (
          SELECT r.account_id,
             r.id
            FROM public.rejected_event r
           WHERE ((r.rejected_at <= (transaction_timestamp() - '35 days'::interval)) OR (EXISTS ( SELECT
                    FROM public.erasure e
                   WHERE ((e.account_id = r.account_id) AND (e.identifier_hash = ANY (r.identifiers)) AND (e.erased_at >= r.received_at)))))
          LIMIT delete_old_rejected_events.most
          FOR UPDATE OF r SKIP LOCKED
         ), gone AS (
          DELETE FROM public.rejected_event AS r
            USING old o
           WHERE ((r.account_id = o.account_id) AND (r.id = o.id))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE FUNCTION public.drop_endpoint_of_type() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM webhook WHERE account_id = OLD.account_id AND webhook_id = OLD.event_type_id;
  IF FOUND THEN
    INSERT INTO dropped_webhook (account_id, webhook_id) VALUES (OLD.account_id, OLD.event_type_id);
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION public.drop_facets() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM contact_facet WHERE account_id = OLD.account_id AND contact_id = OLD.contact_id;
  RETURN NULL;
END $$;

CREATE FUNCTION public.drop_log_reader(name text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  dropped bigint;
BEGIN
  DELETE FROM lane_owner WHERE reader = name;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  DELETE FROM lane_position WHERE reader = name;
  DELETE FROM log_parked WHERE reader = name;
  RETURN dropped;
END $$;

CREATE TABLE public.webhook_delivery (
    account_id bigint NOT NULL,
    webhook_id uuid NOT NULL,
    id bigint NOT NULL,
    event_uid uuid NOT NULL,
    event_id bigint,
    received_at timestamp with time zone NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    lane smallint NOT NULL,
    contact_id uuid NOT NULL,
    sequence bigint NOT NULL,
    state text NOT NULL COLLATE pg_catalog."C",
    due_at timestamp with time zone,
    sender uuid,
    attempts integer DEFAULT 0 NOT NULL,
    failing_since timestamp with time zone,
    ended_at timestamp with time zone,
    status smallint,
    trouble text,
    CONSTRAINT webhook_delivery_check CHECK (((state = 'due'::text) = (due_at IS NOT NULL))),
    CONSTRAINT webhook_delivery_check1 CHECK (((state = ANY (ARRAY['delivered'::text, 'failed'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT webhook_delivery_state_check CHECK ((state = ANY (ARRAY['held'::text, 'due'::text, 'delivered'::text, 'failed'::text])))
)
WITH (fillfactor='80');
ALTER TABLE ONLY public.webhook_delivery ALTER COLUMN account_id SET (n_distinct=1);

COMMENT ON COLUMN public.webhook_delivery.account_id IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.webhook_id IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.id IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.event_uid IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.event_id IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.received_at IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.kind IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.lane IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.contact_id IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.sequence IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.state IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.due_at IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.sender IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.attempts IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.failing_since IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.ended_at IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.status IS 'not personal';
COMMENT ON COLUMN public.webhook_delivery.trouble IS 'not personal';

CREATE FUNCTION public.endpoints_with_due() RETURNS TABLE(account_id bigint, webhook_id uuid)
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 WITH RECURSIVE endpoint AS (
         ( SELECT d.account_id,
             d.webhook_id
            FROM public.webhook_delivery d
           WHERE (d.state = 'due'::text)
           ORDER BY d.account_id, d.webhook_id
          LIMIT 1)
         UNION ALL
          SELECT next.account_id,
             next.webhook_id
            FROM (endpoint e
              CROSS JOIN LATERAL ( SELECT d.account_id,
                     d.webhook_id
                    FROM public.webhook_delivery d
                   WHERE ((d.state = 'due'::text) AND (ROW(d.account_id, d.webhook_id) > ROW(e.account_id, e.webhook_id)))
                   ORDER BY d.account_id, d.webhook_id
                  LIMIT 1) next)
         )
  SELECT w.account_id,
     w.webhook_id
    FROM (endpoint
      JOIN public.webhook w USING (account_id, webhook_id))
   WHERE ((w.state = 'enabled'::text) AND ((w.rests_until IS NULL) OR (w.rests_until <= transaction_timestamp())));
END;

CREATE FUNCTION public.enter_log_epoch() RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET lock_timeout TO '3s'
    AS $$
DECLARE
  now_since CONSTANT timestamptz := log_since(transaction_timestamp());
  last      log_tick;
  from_id   bigint;
  shown     pg_snapshot;
  next      integer;
BEGIN
  LOCK TABLE event IN SHARE MODE;
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  from_id := last_event_id();
  shown := pg_current_snapshot();
  IF last.tick IS NOT NULL THEN
    INSERT INTO log_tick (tick, epoch, at, shows, ends, last_id, since)
      VALUES (last.tick + 1, last.epoch, transaction_timestamp(), shown, true, from_id, least(last.since, now_since));
  END IF;
  INSERT INTO log_epoch (epoch, life, start_id, began_at)
    SELECT coalesce(max(epoch), 0) + 1, log_life(), from_id, transaction_timestamp() FROM log_epoch
    RETURNING epoch INTO next;
  INSERT INTO log_tick (tick, epoch, at, shows, last_id, since)
    VALUES (coalesce(last.tick + 2, 1), next, transaction_timestamp(), shown, from_id, now_since);
  RETURN coalesce(last.tick + 2, 1);
END $$;

CREATE FUNCTION public.fence_lanes(me uuid, name text, groups smallint[], generations bigint[], from_ticks bigint[], from_throughs bigint[], from_ids bigint[]) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  held integer;
BEGIN
  PERFORM FROM lane_owner o JOIN unnest(groups, generations) AS h (lane_group, generation)
            ON h.lane_group = o.lane_group AND h.generation = o.generation
    WHERE o.reader = name AND o.owner = me ORDER BY o.lane_group FOR NO KEY UPDATE OF o;
  GET DIAGNOSTICS held = ROW_COUNT;
  PERFORM require(held = cardinality(groups), 'SB003', 'the lanes have another owner');
  -- By a later statement, which sees what was committed while this one waited for the lock.
  SELECT count(*) INTO held
    FROM unnest(groups, from_ticks, from_throughs, from_ids) AS h (lane_group, tick, through, after_id)
    JOIN lane_positions(name, groups) p ON p.lane_group = h.lane_group
   WHERE p.tick = h.tick AND p.through IS NOT DISTINCT FROM h.through AND p.after_id = h.after_id;
  PERFORM require(held = cardinality(groups), 'SB003', 'the lanes have another position');
  PERFORM set_config('lock_timeout', '2s', true);  -- the effects may wait for other transactions
END $$;

CREATE TABLE public.api_key (
    account_id bigint NOT NULL,
    key_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    requests_per_second integer,
    request_burst integer,
    allowed_addresses text[] DEFAULT '{}'::text[] NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    ring_key integer,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT api_key_request_burst_check CHECK ((request_burst > 0)),
    CONSTRAINT api_key_requests_per_second_check CHECK ((requests_per_second > 0))
);

COMMENT ON COLUMN public.api_key.account_id IS 'not personal';
COMMENT ON COLUMN public.api_key.key_id IS 'not personal';
COMMENT ON COLUMN public.api_key.name IS 'not personal';
COMMENT ON COLUMN public.api_key.hash IS 'not personal';
COMMENT ON COLUMN public.api_key.hint IS 'not personal';
COMMENT ON COLUMN public.api_key.scopes IS 'not personal';
COMMENT ON COLUMN public.api_key.created_at IS 'not personal';
COMMENT ON COLUMN public.api_key.expires_at IS 'not personal';
COMMENT ON COLUMN public.api_key.revoked_at IS 'not personal';
COMMENT ON COLUMN public.api_key.requests_per_second IS 'not personal';
COMMENT ON COLUMN public.api_key.request_burst IS 'not personal';
COMMENT ON COLUMN public.api_key.allowed_addresses IS 'not personal';
COMMENT ON COLUMN public.api_key.version IS 'not personal';
COMMENT ON COLUMN public.api_key.updated_at IS 'not personal';
COMMENT ON COLUMN public.api_key.ring_key IS 'not personal';

CREATE FUNCTION public.find_key(hashes bytea[]) RETURNS TABLE(account_id bigint, key_id uuid, scopes text[], state text, expired boolean, revoked boolean, allowed_addresses text[], account_requests_per_second integer, account_request_burst integer, key_requests_per_second integer, key_request_burst integer, hash bytea, ring_key integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT k.account_id,
     k.key_id,
     k.scopes,
     a.state,
     COALESCE((k.expires_at <= transaction_timestamp()), false) AS "coalesce",
     (k.revoked_at IS NOT NULL),
     k.allowed_addresses,
     a.requests_per_second,
     a.request_burst,
     k.requests_per_second,
     k.request_burst,
     k.hash,
     k.ring_key
    FROM (public.api_key k
      JOIN public.account a ON ((a.account_id = k.account_id)))
   WHERE (k.hash = ANY (find_key.hashes));
END;

CREATE FUNCTION public.first_uuid_of(at timestamp with time zone) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    RETURN ((lpad(to_hex(((EXTRACT(epoch FROM at) * (1000)::numeric))::bigint), 12, '0'::text) || repeat('0'::text, 20)))::uuid;

CREATE FUNCTION public.forget_chains(kept interval, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  scan webhook_chain_scan;
  page record;
BEGIN
  SELECT * INTO scan FROM webhook_chain_scan FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH looked AS MATERIALIZED (
    SELECT account_id, webhook_id, lane, contact_id, head FROM webhook_chain
     WHERE (account_id, webhook_id, lane, contact_id)
           > (scan.after_account, scan.after_webhook, scan.after_lane, scan.after_contact)
     ORDER BY account_id, webhook_id, lane, contact_id LIMIT most
  ), deleted AS (
    DELETE FROM webhook_chain c USING looked l
     WHERE l.head IS NULL AND l.contact_id <> '00000000-0000-0000-0000-000000000000'
       AND NOT EXISTS (SELECT FROM contact p WHERE p.account_id = l.account_id AND p.contact_id = l.contact_id)
       AND NOT EXISTS (SELECT FROM event e
                        WHERE e.account_id = l.account_id AND e.contact_id = l.contact_id
                          AND e.received_at > transaction_timestamp() - kept)
       AND c.account_id = l.account_id AND c.webhook_id = l.webhook_id AND c.lane = l.lane
       AND c.contact_id = l.contact_id AND c.head IS NULL
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM looked) AS looked, (SELECT count(*) FROM deleted) AS deleted, last.* INTO page
    FROM (SELECT) AS one
    LEFT JOIN (SELECT account_id, webhook_id, lane, contact_id FROM looked
                ORDER BY account_id DESC, webhook_id DESC, lane DESC, contact_id DESC LIMIT 1) AS last ON true;
  IF page.looked < most THEN
    UPDATE webhook_chain_scan
       SET after_account = DEFAULT, after_webhook = DEFAULT, after_lane = DEFAULT, after_contact = DEFAULT;
    RETURN 0;
  END IF;
  UPDATE webhook_chain_scan SET after_account = page.account_id, after_webhook = page.webhook_id,
                                after_lane = page.lane, after_contact = page.contact_id;
  RETURN page.deleted;
END $$;

CREATE FUNCTION public.forget_deliveries(kept interval, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.forget_erased(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  person erased_contact;
  seen bigint;
BEGIN
  SELECT * INTO person FROM erased_contact
   WHERE due_at <= transaction_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH batch AS MATERIALIZED (
    SELECT e.received_at, e.id FROM event e
     WHERE e.account_id = person.account_id AND e.contact_id = person.contact_id
       AND e.received_at >= coalesce(person.received_at, '-infinity')
       AND (e.received_at, e.id) > (coalesce(person.received_at, '-infinity'), coalesce(person.id, 0))
     ORDER BY e.received_at, e.id LIMIT most
  ), forgotten AS (
    UPDATE event e SET payload = NULL FROM batch b
     WHERE e.account_id = person.account_id AND e.received_at = b.received_at AND e.id = b.id
       AND e.payload IS NOT NULL AND e.kind <> 'contact.deleted'
  )
  SELECT last.received_at, last.id, (SELECT count(*) FROM batch)
    INTO person.received_at, person.id, seen
    FROM (SELECT) AS one
    LEFT JOIN (SELECT * FROM batch ORDER BY received_at DESC, id DESC LIMIT 1) AS last ON true;
  IF seen < most THEN
    person.round := person.round + 1;
    person.due_at :=
      person.erased_at + CASE person.round WHEN 2 THEN interval '10 minutes' ELSE interval '23 hours' END;
    person.received_at := NULL;
    person.id := NULL;
  ELSE
    person.due_at := transaction_timestamp();
  END IF;
  IF person.round > 3 THEN
    DELETE FROM erased_contact WHERE account_id = person.account_id AND contact_id = person.contact_id;
  ELSE
    UPDATE erased_contact
       SET due_at = person.due_at, round = person.round, received_at = person.received_at, id = person.id
     WHERE account_id = person.account_id AND contact_id = person.contact_id;
  END IF;
  RETURN seen + 1;
END $$;

CREATE FUNCTION public.forget_log(kept interval, unused interval, most integer, INOUT from_tick bigint, INOUT from_number bigint, OUT dropped text[]) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  alive   CONSTANT uuid[] := living_processes(interval '1 minute');
  newest  bigint;
  needed  bigint;  -- the oldest number, then the oldest tick, that a reader needs
  name    text;
  carried smallint[];
BEGIN
  DELETE FROM running_process WHERE process <> ALL (alive)
                                AND beat_at NOT BETWEEN transaction_timestamp() - interval '1 hour'
                                                    AND transaction_timestamp();
  dropped := ARRAY(SELECT DISTINCT o.reader FROM lane_owner o
                    WHERE NOT EXISTS (SELECT FROM running_process p
                                       WHERE p.process = ANY (alive) AND o.reader = ANY (p.readers))
                      -- Processes that start one after the other have different readers for a while.
                      AND EXISTS (SELECT FROM running_process p WHERE p.process = ANY (alive)
                                     AND p.started_at < transaction_timestamp() - interval '1 hour')
                      AND (SELECT max(at) FROM lane_positions(o.reader)) < transaction_timestamp() - unused);
  FOREACH name IN ARRAY dropped LOOP
    PERFORM drop_log_reader(name);
  END LOOP;

  SELECT last_value INTO newest FROM lane_position_number_seq;
  FOR name IN SELECT DISTINCT reader FROM lane_owner LOOP
    -- Positions that did not move for long are repeated, so that nobody has to read far back.
    carried := ARRAY(SELECT o.lane_group FROM lane_owner o JOIN lane_positions(name) p ON p.lane_group = o.lane_group
                      WHERE o.reader = name AND p.number < newest - most FOR UPDATE OF o SKIP LOCKED);
    INSERT INTO lane_position (reader, at, groups, tick, through, after_id)
      SELECT name, at, array_agg(lane_group), tick, through, after_id FROM lane_positions(name, carried)
       GROUP BY at, tick, through, after_id;
    needed := least(needed, (SELECT min(number) FROM lane_positions(name)));
  END LOOP;
  from_number := coalesce(from_number, (SELECT min(oldest.number)
                                          FROM (SELECT DISTINCT reader FROM lane_owner) r
                                         CROSS JOIN LATERAL (SELECT p.number FROM lane_position p
                                                              WHERE p.reader = r.reader
                                                              ORDER BY p.number LIMIT 1) oldest), newest);
  needed := greatest(from_number, least(needed, newest, from_number + 2 * most));
  DELETE FROM lane_position p USING (SELECT DISTINCT reader FROM lane_owner) r
   WHERE p.reader = r.reader AND p.number >= from_number AND p.number < needed;
  from_number := needed;

  from_tick := coalesce(from_tick, (SELECT min(tick) FROM log_tick));
  needed := least((SELECT max(tick) FROM log_tick), from_tick + most, (SELECT min(tick) FROM log_position));
  needed := coalesce((SELECT min(tick) FROM log_tick WHERE tick >= from_tick AND tick < needed
                         AND at >= transaction_timestamp() - kept AND at < transaction_timestamp() + kept), needed);
  DELETE FROM log_tick WHERE tick >= from_tick AND tick < needed;
  from_tick := greatest(from_tick, needed);
END $$;

CREATE FUNCTION public.forget_passed_on(account bigint, contact uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 UPDATE public.event SET payload = NULL::jsonb
   WHERE ((event.account_id = forget_passed_on.account) AND (event.contact_id = forget_passed_on.contact) AND (event.kind = ANY (ARRAY['forward'::text, 'adopt'::text])) AND (event.payload IS NOT NULL));
END;

CREATE FUNCTION public.forget_rejected_events() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM rejected_event
   WHERE account_id = NEW.account_id AND identifiers @> ARRAY[NEW.identifier_hash];
  RETURN NULL;
END $$;

CREATE FUNCTION public.forget_ticks(kept interval, most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  first CONSTANT bigint := (SELECT min(tick) FROM public.log_tick);
BEGIN
  RETURN (SELECT from_tick - first FROM forget_log(kept, interval '1000 years', most, first, NULL));
END $$;

CREATE FUNCTION public.has_account_rows(of_account bigint) RETURNS boolean
    LANGUAGE plpgsql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $_$
DECLARE
  name  text;
  found boolean;
BEGIN
  FOREACH name IN ARRAY account_tables() LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE account_id = $1)', name) INTO found USING of_account;
    IF found THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $_$;

CREATE TABLE public.timer (
    lane_group smallint NOT NULL,
    due_at timestamp with time zone NOT NULL,
    owner_id uuid NOT NULL,
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    CONSTRAINT timer_lane_group_check CHECK (((lane_group >= 0) AND (lane_group <= 63)))
);

COMMENT ON COLUMN public.timer.lane_group IS 'not personal';
COMMENT ON COLUMN public.timer.due_at IS 'not personal';
COMMENT ON COLUMN public.timer.owner_id IS 'not personal';
COMMENT ON COLUMN public.timer.account_id IS 'not personal';
COMMENT ON COLUMN public.timer.contact_id IS 'not personal';

CREATE FUNCTION public.has_due_timers(since timestamp with time zone) RETURNS boolean
    LANGUAGE sql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT (EXISTS ( SELECT
            FROM (generate_series(0, 63) g(lane_group)
              CROSS JOIN LATERAL ( SELECT
                    FROM public.timer t
                   WHERE ((t.lane_group = g.lane_group) AND (t.due_at > has_due_timers.since) AND (t.due_at <= transaction_timestamp()))
                   ORDER BY t.due_at
                  LIMIT 1) due))) AS "exists";
END;

CREATE FUNCTION public.hold_intake(me uuid, of_topic text, partitions integer, lease interval) RETURNS TABLE(partition smallint, generation bigint, next_offset bigint)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE alive boolean;
BEGIN
  IF NOT EXISTS (SELECT FROM intake_process WHERE process = me) THEN
    INSERT INTO intake_process (process) SELECT process FROM process WHERE process = me ON CONFLICT DO NOTHING;
  END IF;
  alive := share_intake(me, of_topic, partitions, lease);
  INSERT INTO intake_signing AS s (topic, partition)
    SELECT p.topic, p.partition FROM intake_position p
      LEFT JOIN intake_signing known ON known.topic = p.topic AND known.partition = p.partition
     WHERE p.topic = of_topic AND (known.topic IS NULL OR known.signed_from IS NOT NULL
                                   OR known.unsigned_at < transaction_timestamp() - interval '10 seconds')
     ORDER BY p.partition
    ON CONFLICT (topic, partition) DO UPDATE SET unsigned_at = transaction_timestamp(), signed_from = NULL;
  IF NOT alive THEN RETURN; END IF;
  RETURN QUERY SELECT p.partition, p.generation, p.next_offset FROM intake_position p
                WHERE p.topic = of_topic AND p.owner = me ORDER BY p.partition;
END $$;

CREATE FUNCTION public.hold_intake(me uuid, of_topic text, partitions integer, lease interval, newest_key integer, quiet interval) RETURNS TABLE(partition smallint, generation bigint, next_offset bigint, cutover_due boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  PERFORM require(NOT EXISTS (SELECT FROM intake_signing WHERE topic = of_topic AND ring_key > newest_key), 'SB003',
                  'another process has a newer keyring: copy it to this process and restart it');
  IF NOT EXISTS (SELECT FROM intake_process WHERE process = me AND ring_key = newest_key) THEN
    INSERT INTO intake_process (process, ring_key) SELECT process, newest_key FROM process WHERE process = me
      ON CONFLICT (process) DO UPDATE SET ring_key = excluded.ring_key;
  END IF;
  IF NOT share_intake(me, of_topic, partitions, lease) THEN RETURN; END IF;
  IF EXISTS (SELECT FROM intake_position p LEFT JOIN intake_signing s ON s.topic = p.topic AND s.partition = p.partition
              WHERE p.topic = of_topic AND s.topic IS NULL) THEN
    -- A new partition has no unsigned messages, unless a process that does not sign is running.
    INSERT INTO intake_signing (topic, partition, signed_from)
      SELECT p.topic, p.partition, CASE WHEN NOT EXISTS (SELECT FROM intake_process WHERE ring_key IS NULL) THEN 0 END
        FROM intake_position p WHERE p.topic = of_topic
      ON CONFLICT DO NOTHING;
  END IF;
  IF EXISTS (SELECT FROM intake_signing WHERE topic = of_topic AND ring_key < newest_key) THEN
    UPDATE intake_signing SET ring_key = newest_key WHERE topic = of_topic AND ring_key < newest_key;
  END IF;
  RETURN QUERY SELECT p.partition, p.generation, p.next_offset,
                      s.signed_from IS NULL AND s.unsigned_at < transaction_timestamp() - quiet
                 FROM intake_position p JOIN intake_signing s ON s.topic = p.topic AND s.partition = p.partition
                WHERE p.topic = of_topic AND p.owner = me ORDER BY p.partition;
END $$;

CREATE FUNCTION public.keep_endpoint_of_type() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET lock_timeout TO '50ms'
    AS $$
DECLARE
  this_month CONSTANT timestamp := date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC');
  named      CONSTANT text := '"event_"YYYY_MM';
  bound      CONSTANT text := 'YYYY-MM-DD"T"HH24:MI:SS"+00"';
  month timestamp;
  name  text;
BEGIN
  IF retention < interval '31 days' OR ahead NOT BETWEEN 0 AND 12 THEN
    RAISE EXCEPTION 'events are kept for 31 days at least, and partitions made for 12 months ahead at most'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  made := '{}';
  dropped := '{}';
  IF pg_try_advisory_xact_lock(hashtextextended('keep_event_partitions', 0)) THEN
    FOR i IN 0..ahead LOOP
      month := this_month + make_interval(months => i);
      name := to_char(month, named);
      CONTINUE WHEN to_regclass(format('public.%I', name)) IS NOT NULL;
      BEGIN
        -- Made alone and then attached: PARTITION OF would lock out every reader and writer.
        EXECUTE format('CREATE TABLE public.%I (LIKE public.event INCLUDING ALL EXCLUDING IDENTITY)', name);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.event ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', name,
                       to_char(month, bound), to_char(month + interval '1 month', bound));
        made := made || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
    FOR name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'public.event'::regclass
         AND c.relname < to_char((transaction_timestamp() AT TIME ZONE 'UTC') - retention, named)
         AND c.relname < (SELECT coalesce(to_char(min(t.since) AT TIME ZONE 'UTC', named), '~')
                            FROM log_position p JOIN log_tick t ON t.tick = p.tick)
       ORDER BY c.relname
    LOOP
      -- Open runs may still need the events that started them: copy_run_triggers() copies them into the runs first.
      EXIT WHEN EXISTS (SELECT FROM run r
                         WHERE r.trigger_data IS NULL
                           AND r.trigger_at < to_timestamp(right(name, 7), 'YYYY_MM') AT TIME ZONE 'UTC' + interval '1 month');
      BEGIN
        EXECUTE format('ALTER TABLE public.event DETACH PARTITION public.%I', name);
        EXECUTE format('DROP TABLE public.%I', name);
        dropped := dropped || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
  END IF;
  covered := to_regclass(format('public.%I', to_char(this_month, named))) IS NOT NULL;
END $$;

CREATE FUNCTION public.keep_monthly_partitions(parent text, retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET lock_timeout TO '50ms'
    AS $$
DECLARE
  this_month CONSTANT timestamp := date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC');
  by_id      CONSTANT boolean := parent = 'message';
  month  timestamp;
  newest timestamp;
  name   text;
  low   text;
  high  text;
BEGIN
  PERFORM require(parent IN ('message', 'run_history'), '22023', 'this table has other partitions');
  made := '{}';
  dropped := '{}';
  IF pg_try_advisory_xact_lock(hashtextextended('keep_monthly_partitions ' || parent, 0)) THEN
    SELECT to_timestamp(max(right(c.relname, 7)), 'YYYY_MM') AT TIME ZONE 'UTC' INTO newest
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = format('public.%I', parent)::regclass;
    FOR month IN SELECT generate_series(least(this_month - interval '1 month', newest + interval '1 month'),
                                        this_month + make_interval(months => ahead), interval '1 month')
    LOOP
      name := to_char(month, format('"%s_"YYYY_MM', parent));
      CONTINUE WHEN to_regclass(format('public.%I', name)) IS NOT NULL;
      low := CASE WHEN by_id THEN first_uuid_of(month AT TIME ZONE 'UTC')::text
                  ELSE to_char(month, 'YYYY-MM-DD"T"HH24:MI:SS"+00"') END;
      high := CASE WHEN by_id THEN first_uuid_of((month + interval '1 month') AT TIME ZONE 'UTC')::text
                   ELSE to_char(month + interval '1 month', 'YYYY-MM-DD"T"HH24:MI:SS"+00"') END;
      BEGIN
        -- Made alone and then attached: PARTITION OF would lock out every reader and writer.
        EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL) WITH (fillfactor = 80)', name,
                       parent);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', parent, name,
                       low, high);
        made := made || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
    FOR name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = format('public.%I', parent)::regclass
         AND c.relname < to_char((transaction_timestamp() AT TIME ZONE 'UTC') - retention, format('"%s_"YYYY_MM', parent))
       ORDER BY c.relname
    LOOP
      BEGIN
        EXECUTE format('ALTER TABLE public.%I DETACH PARTITION public.%I', parent, name);
        EXECUTE format('DROP TABLE public.%I', name);
        dropped := dropped || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
  END IF;
  covered := to_regclass(format('public.%I', to_char(this_month, format('"%s_"YYYY_MM', parent)))) IS NOT NULL;
END $$;

CREATE FUNCTION public.lane_positions(of_reader text, wanted smallint[] DEFAULT NULL::smallint[]) RETURNS TABLE(lane_group smallint, number bigint, at timestamp with time zone, tick bigint, through bigint, after_id bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER COST 20000 ROWS 64
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    SET enable_seqscan TO 'off'
    SET enable_bitmapscan TO 'off'
    SET enable_sort TO 'off'
    AS $$
#variable_conflict use_column
DECLARE
  missing smallint[] := coalesce(wanted, ARRAY(SELECT o.lane_group FROM lane_owner o WHERE o.reader = of_reader));
  saved   lane_position;
  newest  CURSOR FOR SELECT p.* FROM lane_position p WHERE p.reader = of_reader ORDER BY p.number DESC;
BEGIN
  OPEN newest;
  WHILE missing <> '{}' LOOP
    FETCH newest INTO saved;  -- a FOR loop would fetch ahead, into the deleted rows
    EXIT WHEN NOT FOUND;
    CONTINUE WHEN NOT saved.groups && missing;
    RETURN QUERY SELECT g, saved.number, saved.at, saved.tick, saved.through, saved.after_id
                   FROM unnest(saved.groups) g WHERE g = ANY (missing);
    missing := ARRAY(SELECT m FROM unnest(missing) m WHERE m <> ALL (saved.groups));
  END LOOP;
  CLOSE newest;
END $$;

ALTER TABLE public.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE FUNCTION public.last_event_id() RETURNS bigint
    LANGUAGE sql
    RETURN (SELECT CASE WHEN event_id_seq.is_called THEN event_id_seq.last_value ELSE (event_id_seq.last_value - 1) END AS "case" FROM public.event_id_seq);

CREATE FUNCTION public.leave(me uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  DELETE FROM heartbeat WHERE process = me AND at > transaction_timestamp() - interval '70 s';
  DELETE FROM running_process WHERE process = me;
  UPDATE log_ticker SET owner = NULL WHERE owner = me;
  UPDATE lane_owner SET owner = NULL WHERE owner = me;
END $$;

CREATE TABLE public.intake_position (
    topic text NOT NULL COLLATE pg_catalog."C",
    partition smallint NOT NULL,
    owner uuid,
    generation bigint DEFAULT 0 NOT NULL,
    next_offset bigint,
    CONSTRAINT intake_position_partition_check CHECK (((partition >= 0) AND (partition <= 63)))
)
WITH (fillfactor='20');

COMMENT ON COLUMN public.intake_position.topic IS 'not personal';
COMMENT ON COLUMN public.intake_position.partition IS 'not personal';
COMMENT ON COLUMN public.intake_position.owner IS 'not personal';
COMMENT ON COLUMN public.intake_position.generation IS 'not personal';
COMMENT ON COLUMN public.intake_position.next_offset IS 'not personal';

CREATE TABLE public.intake_process (
    process uuid NOT NULL,
    ring_key integer
);

COMMENT ON COLUMN public.intake_process.process IS 'not personal';
COMMENT ON COLUMN public.intake_process.ring_key IS 'not personal';

CREATE FUNCTION public.leave_intake(me uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 DELETE FROM public.intake_process
   WHERE (intake_process.process = leave_intake.me);
 UPDATE public.intake_position SET owner = NULL::uuid
   WHERE (intake_position.owner = leave_intake.me);
END;

CREATE TABLE public.heartbeat (
    at timestamp with time zone NOT NULL,
    process uuid NOT NULL
);

COMMENT ON COLUMN public.heartbeat.at IS 'not personal';
COMMENT ON COLUMN public.heartbeat.process IS 'not personal';

CREATE FUNCTION public.living_processes(lease interval) RETURNS uuid[]
    LANGUAGE sql STABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT COALESCE(array_agg(DISTINCT heartbeat.process), '{}'::uuid[]) AS "coalesce"
    FROM public.heartbeat
   WHERE ((heartbeat.at > (transaction_timestamp() - living_processes.lease)) AND (heartbeat.at < (transaction_timestamp() + living_processes.lease)));
END;

CREATE TABLE public.log_tick (
    tick bigint NOT NULL,
    epoch integer NOT NULL,
    at timestamp with time zone NOT NULL,
    shows pg_snapshot NOT NULL,
    ends boolean DEFAULT false NOT NULL,
    last_id bigint NOT NULL,
    since timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.log_tick.tick IS 'not personal';
COMMENT ON COLUMN public.log_tick.epoch IS 'not personal';
COMMENT ON COLUMN public.log_tick.at IS 'not personal';
COMMENT ON COLUMN public.log_tick.shows IS 'not personal';
COMMENT ON COLUMN public.log_tick.ends IS 'not personal';
COMMENT ON COLUMN public.log_tick.last_id IS 'not personal';
COMMENT ON COLUMN public.log_tick.since IS 'not personal';

CREATE FUNCTION public.log_has_news(last public.log_tick, from_id bigint) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  begun   CONSTANT xid8 := pg_snapshot_xmax(last.shows);
  pending CONSTANT xid8[] := ARRAY(SELECT pg_snapshot_xip(last.shows));
  bound   CONSTANT timestamptz := least(last.since, log_since(transaction_timestamp()));
BEGIN
  RETURN EXISTS (SELECT FROM event WHERE xid >= begun AND xid < pg_snapshot_xmax(pg_current_snapshot())
                                     AND id + 0 > from_id AND received_at >= bound)
      OR EXISTS (SELECT FROM unnest(pending) AS late
                  CROSS JOIN LATERAL (SELECT FROM event WHERE xid >= late AND xid <= late
                                                          AND id + 0 > from_id AND received_at >= bound LIMIT 1) e);
END $$;

CREATE FUNCTION public.log_life() RETURNS text
    LANGUAGE sql STABLE
    RETURN format('%s.%s.%s.%s'::text, (SELECT pg_control_system.system_identifier FROM pg_control_system() pg_control_system(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified)), "left"(pg_walfile_name(pg_current_wal_lsn()), 8), (SELECT pg_database.oid FROM pg_database WHERE (pg_database.datname = current_database())), (SELECT log_ticker.incarnation FROM public.log_ticker));

CREATE FUNCTION public.log_since(made_at timestamp with time zone) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE
    RETURN (date_trunc('month'::text, (made_at - '00:10:00'::interval), 'UTC'::text) - '1 mon'::interval);

CREATE FUNCTION public.make_tick(me uuid, held bigint, OUT tick bigint, OUT made boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  last    log_tick;
  from_id bigint;
  shown   pg_snapshot;
BEGIN
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  SELECT e.start_id INTO from_id FROM log_epoch e WHERE e.epoch = last.epoch AND e.life = log_life();
  IF FOUND AND NOT log_has_news(last, from_id) AND NOT has_due_timers(last.at) THEN
    PERFORM require(EXISTS (SELECT FROM log_ticker WHERE owner = me AND generation = held), 'SB003',
                    'another process makes ticks');
    tick := last.tick;
    made := false;
    RETURN;
  END IF;

  -- The lock comes first. Later statements see what was committed meanwhile, above all the snapshot: so a tick never
  -- shows less than the one before it.
  PERFORM FROM log_ticker WHERE owner = me AND generation = held FOR UPDATE;
  PERFORM require(FOUND, 'SB003', 'another process makes ticks');
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  SELECT e.start_id INTO from_id FROM log_epoch e WHERE e.epoch = last.epoch AND e.life = log_life();
  made := true;
  IF FOUND THEN
    shown := pg_current_snapshot();
    tick := last.tick + 1;
    INSERT INTO log_tick (tick, epoch, at, shows, last_id, since)
      SELECT last.tick + 1, last.epoch, transaction_timestamp(), shown, last_event_id(),
             -- A transaction that this tick does not show began at the earliest shortly before the newest tick that
             -- shows all older ones, and no transaction of the service takes ten minutes. If the clock was set back
             -- since, it began at the earliest shortly before now.
             least(log_since(transaction_timestamp()),
                   coalesce((SELECT log_since(k.at) FROM log_tick k
                              WHERE k.epoch = last.epoch AND pg_snapshot_xmax(k.shows) <= pg_snapshot_xmin(shown)
                              ORDER BY pg_snapshot_xmax(k.shows) DESC, k.tick DESC LIMIT 1), last.since));
    RETURN;
  END IF;

  tick := enter_log_epoch();
END $$;

CREATE FUNCTION public.move_on(accounts bigint[], webhooks uuid[], lanes smallint[], contacts uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.note_due(accounts bigint[], webhooks uuid[], dues timestamp with time zone[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.note_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.moved_xid := pg_current_xact_id();
  RETURN NEW;
END $$;

CREATE FUNCTION public.note_new_deliveries() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
BEGIN
  PERFORM note_due(array_agg(account_id), array_agg(webhook_id), array_agg(due))
     FROM (SELECT account_id, webhook_id, min(due_at) AS due FROM added WHERE state = 'due' GROUP BY 1, 2) e
   HAVING count(*) > 0;
  RETURN NULL;
END $$;

CREATE FUNCTION public.present_accounts(accounts bigint[]) RETURNS TABLE(account_id bigint, definitions_version bigint)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT a.account_id, coalesce(c.version, 0)
      FROM unnest(accounts) AS asked (account_id)
      JOIN account a ON a.account_id = asked.account_id
      LEFT JOIN event_type_counter c ON c.account_id = a.account_id
     WHERE a.deletion_began_at IS NULL;
END $$;

CREATE FUNCTION public.purge_dropped_coupons(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  dropped dropped_coupon_set;
  removed bigint;
  more    bigint;
BEGIN
  SELECT * INTO dropped FROM dropped_coupon_set
   WHERE dropped_at < transaction_timestamp() - interval '1 minute'
   ORDER BY dropped_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  DELETE FROM coupon c USING (SELECT account_id, code_key FROM coupon
                               WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id
                               LIMIT most) AS batch
   WHERE c.account_id = batch.account_id AND c.code_key = batch.code_key;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM coupon_claim c USING (SELECT account_id, claim_id FROM coupon_claim
                                     WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id
                                     LIMIT most) AS batch
   WHERE c.account_id = batch.account_id AND c.claim_id = batch.claim_id;
  GET DIAGNOSTICS more = ROW_COUNT;
  removed := removed + more;
  DELETE FROM coupon_redemption c USING (SELECT account_id, purchase_id, code_key FROM coupon_redemption
                                          WHERE account_id = dropped.account_id
                                            AND coupon_set_id = dropped.coupon_set_id
                                          LIMIT most) AS batch
   WHERE c.account_id = batch.account_id AND c.purchase_id = batch.purchase_id AND c.code_key = batch.code_key;
  GET DIAGNOSTICS more = ROW_COUNT;
  removed := removed + more;
  IF removed > 0 THEN RETURN removed; END IF;
  DELETE FROM coupon_slot WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id;
  DELETE FROM dropped_coupon_set WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id;
  RETURN 1;
END $$;

CREATE FUNCTION public.purge_dropped_fields(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  dropped dropped_contact_field;
  seen    uuid[];
BEGIN
  SELECT * INTO dropped FROM dropped_contact_field
   WHERE dropped_at < transaction_timestamp() - interval '1 minute'
   ORDER BY dropped_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  SELECT array_agg(contact_id) INTO seen FROM (
    SELECT contact_id FROM contact
     WHERE account_id = dropped.account_id AND contact_id > coalesce(dropped.done_until, '00000000-0000-0000-0000-000000000000')
     ORDER BY contact_id LIMIT most) AS batch;
  IF seen IS NULL THEN
    DELETE FROM dropped_contact_field WHERE account_id = dropped.account_id AND number = dropped.number;
    RETURN 1;
  END IF;
  UPDATE contact SET fields = fields - dropped.number::text
   WHERE account_id = dropped.account_id AND contact_id = ANY (seen) AND fields ? dropped.number::text;
  DELETE FROM contact_facet
   WHERE account_id = dropped.account_id AND facet = dropped.number AND contact_id = ANY (seen);
  UPDATE dropped_contact_field SET done_until = seen[cardinality(seen)]
   WHERE account_id = dropped.account_id AND number = dropped.number;
  RETURN cardinality(seen);
END $$;

CREATE FUNCTION public.purge_dropped_webhooks(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE TABLE public.running_process (
    process uuid NOT NULL,
    version text NOT NULL,
    started_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    beat_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    readers text[] DEFAULT '{}'::text[] NOT NULL,
    keyring_keys integer[]
)
WITH (fillfactor='20');

COMMENT ON COLUMN public.running_process.process IS 'not personal';
COMMENT ON COLUMN public.running_process.version IS 'not personal';
COMMENT ON COLUMN public.running_process.started_at IS 'not personal';
COMMENT ON COLUMN public.running_process.beat_at IS 'not personal';
COMMENT ON COLUMN public.running_process.readers IS 'not personal';
COMMENT ON COLUMN public.running_process.keyring_keys IS 'not personal';

CREATE FUNCTION public.rehash_key(old_hash bytea, new_hash bytea, new_key integer) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 UPDATE public.api_key SET hash = rehash_key.new_hash, ring_key = rehash_key.new_key
   WHERE ((api_key.hash = rehash_key.old_hash) AND (NOT (EXISTS ( SELECT
            FROM public.running_process p
           WHERE ((p.process = ANY (public.living_processes('00:01:00'::interval))) AND (NOT COALESCE((rehash_key.new_key = ANY (p.keyring_keys)), false)))))));
END;

CREATE FUNCTION public.release_coupon(of_account bigint, claim uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  held coupon_claim;
  code coupon;
BEGIN
  SELECT * INTO held FROM coupon_claim k WHERE k.account_id = of_account AND k.claim_id = claim;
  IF NOT FOUND THEN RETURN false; END IF;
  -- A purchase that redeems the code locks its row first: one of the two sees the other.
  SELECT * INTO code FROM coupon c
   WHERE c.account_id = of_account AND c.code_key = held.code_key AND c.coupon_set_id = held.coupon_set_id
     FOR UPDATE;
  IF NOT FOUND OR code.redeemed THEN RETURN false; END IF;
  DELETE FROM coupon_claim k WHERE k.account_id = of_account AND k.claim_id = claim;
  IF NOT FOUND THEN RETURN false; END IF;
  IF NOT code.shared THEN
    UPDATE coupon c SET claim_id = NULL WHERE c.account_id = of_account AND c.code_key = code.code_key;
  END IF;
  PERFORM count_coupons(of_account, held.coupon_set_id, 0, CASE WHEN code.shared THEN 0 ELSE 1 END, -1, 0);
  RETURN true;
END $$;

CREATE FUNCTION public.require(condition boolean, state text, message text) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  IF condition IS NOT TRUE THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
END $$;

CREATE TABLE public.intake_signing (
    topic text NOT NULL COLLATE pg_catalog."C",
    partition smallint NOT NULL,
    unsigned_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    signed_from bigint,
    ring_key integer DEFAULT 0 NOT NULL
);

COMMENT ON COLUMN public.intake_signing.topic IS 'not personal';
COMMENT ON COLUMN public.intake_signing.partition IS 'not personal';
COMMENT ON COLUMN public.intake_signing.unsigned_at IS 'not personal';
COMMENT ON COLUMN public.intake_signing.signed_from IS 'not personal';
COMMENT ON COLUMN public.intake_signing.ring_key IS 'not personal';

CREATE FUNCTION public.require_signatures(of_topic text, of_partition smallint, from_offset bigint, quiet interval) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 WITH changed AS (
          UPDATE public.intake_signing SET signed_from = require_signatures.from_offset
           WHERE ((intake_signing.topic = require_signatures.of_topic) AND (intake_signing.partition = require_signatures.of_partition) AND (intake_signing.signed_from IS NULL) AND (intake_signing.unsigned_at < (transaction_timestamp() - require_signatures.quiet)))
           RETURNING 1 AS "?column?"
         )
  SELECT (EXISTS ( SELECT
            FROM changed)) AS "exists";
END;

CREATE TABLE public.lane_position (
    reader text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    groups smallint[] NOT NULL,
    tick bigint NOT NULL,
    through bigint,
    after_id bigint DEFAULT 0 NOT NULL
);

COMMENT ON COLUMN public.lane_position.reader IS 'not personal';
COMMENT ON COLUMN public.lane_position.number IS 'not personal';
COMMENT ON COLUMN public.lane_position.at IS 'not personal';
COMMENT ON COLUMN public.lane_position.groups IS 'not personal';
COMMENT ON COLUMN public.lane_position.tick IS 'not personal';
COMMENT ON COLUMN public.lane_position.through IS 'not personal';
COMMENT ON COLUMN public.lane_position.after_id IS 'not personal';

CREATE FUNCTION public.save_position(name text, groups smallint[], to_tick bigint, to_through bigint, to_id bigint) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 INSERT INTO public.lane_position (reader, groups, tick, through, after_id)
   VALUES (save_position.name, save_position.groups, save_position.to_tick, save_position.to_through, save_position.to_id);
END;

CREATE FUNCTION public.send_again(of_account bigint, of_webhook uuid, of_ids bigint[]) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.settle_deliveries(accounts bigint[], webhooks uuid[], ids bigint[], senders uuid[], heard boolean[], statuses smallint[], troubles text[], pauses bigint[], rests bigint[], gives_up interval, steps_aside interval, dead interval) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.share_intake(me uuid, of_topic text, partitions integer, lease interval) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
DECLARE
  newest integer := coalesce((SELECT max(ring_key) FROM intake_signing WHERE topic = of_topic), 0);
  alive uuid[];
  share integer;
BEGIN
  alive := ARRAY(SELECT i.process FROM intake_process i JOIN process p ON p.process = i.process
                  WHERE p.beat_at > transaction_timestamp() - lease AND (i.ring_key IS NULL OR i.ring_key >= newest));
  IF me <> ALL (alive) THEN RETURN false; END IF;  -- others may own its partitions by now
  IF (SELECT count(*) FROM intake_position WHERE topic = of_topic) < partitions THEN
    INSERT INTO intake_position (topic, partition) SELECT of_topic, p FROM generate_series(0, partitions - 1) p
      ON CONFLICT DO NOTHING;
  END IF;
  share := ceil((SELECT count(*) FROM intake_position WHERE topic = of_topic)::numeric / cardinality(alive));
  UPDATE intake_position p SET owner = NULL
    -- Skips partitions that a transaction of this process is advancing: the heartbeat must not wait for it.
    FROM (SELECT partition FROM intake_position WHERE topic = of_topic AND owner = me
           ORDER BY partition DESC
           LIMIT greatest(0, (SELECT count(*) FROM intake_position WHERE topic = of_topic AND owner = me) - share)
             FOR UPDATE SKIP LOCKED) more
   WHERE p.topic = of_topic AND p.partition = more.partition AND p.owner = me;
  UPDATE intake_position p SET owner = me, generation = generation + 1
    FROM (SELECT partition FROM intake_position
           WHERE topic = of_topic AND (owner IS NULL OR owner <> ALL (alive))
           ORDER BY partition
           LIMIT greatest(0, share - (SELECT count(*) FROM intake_position WHERE topic = of_topic AND owner = me))
             FOR UPDATE SKIP LOCKED) free
   WHERE p.topic = of_topic AND p.partition = free.partition;
  IF FOUND THEN
    DELETE FROM intake_sender s
     USING (SELECT topic, partition, sender FROM intake_sender WHERE seen_at < transaction_timestamp() - interval '35 days'
               FOR UPDATE SKIP LOCKED) old
     WHERE s.topic = old.topic AND s.partition = old.partition AND s.sender = old.sender;
  END IF;
  RETURN true;
END $$;

CREATE FUNCTION public.step_replay(most integer, sent integer) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public'
    AS $$
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

CREATE FUNCTION public.take_queued_events(accounts bigint[], versions bigint[], uids uuid[], kinds text[], key_hashes uuid[], content_hashes uuid[], emails text[], external_ids text[], email_hashes bytea[], external_hashes bytea[], times timestamp with time zone[], triggers text[], payloads jsonb[]) RETURNS TABLE(ordinal bigint, outcome text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH sent AS (
    SELECT s.*
      FROM unnest(accounts, versions, uids, kinds, key_hashes, content_hashes, emails, external_ids, email_hashes,
                  external_hashes, times, triggers, payloads)
           WITH ORDINALITY AS s (account_id, version, uid, kind, key_hash, content_hash, email, external_id, email_hash,
                                 external_hash, occurred_at, trigger, payload, ordinal)
  ), named AS (
    SELECT s.*, coalesce(x.contact_id, e.contact_id) AS contact_id, coalesce(x.lane, e.lane) AS lane,
           CASE WHEN coalesce((SELECT c.version FROM event_type_counter c WHERE c.account_id = s.account_id), 0) <> s.version
                THEN 'types'
                WHEN (s.email IS NOT NULL AND e.contact_id IS NULL)
                  OR (s.external_id IS NOT NULL AND x.contact_id IS NULL)
                  OR e.contact_id <> x.contact_id
                  OR EXISTS (SELECT FROM erasure r WHERE r.account_id = s.account_id AND r.identifier_hash = s.email_hash)
                  OR EXISTS (SELECT FROM erasure r WHERE r.account_id = s.account_id AND r.identifier_hash = s.external_hash)
                THEN 'person' END AS trouble
      FROM sent s
      LEFT JOIN contact e ON e.account_id = s.account_id AND e.email_key = s.email
      LEFT JOIN contact x ON x.account_id = s.account_id AND x.external_id = s.external_id
  ), claimed AS (
    INSERT INTO event_claim (account_id, key_hash, content_hash, uid, contact_id)
    SELECT n.account_id, n.key_hash, n.content_hash, n.uid, n.contact_id FROM named n
     WHERE n.trouble IS NULL AND n.key_hash IS NOT NULL
     ORDER BY n.account_id, n.key_hash, n.ordinal
    ON CONFLICT (account_id, key_hash) DO NOTHING
    RETURNING uid
  ), written AS (
    INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
    SELECT n.account_id, n.uid, n.lane, n.contact_id, n.kind, 1, coalesce(n.occurred_at, transaction_timestamp()),
           n.trigger, 0, 'api', n.payload
      FROM named n
     WHERE n.trouble IS NULL AND (n.key_hash IS NULL OR n.uid IN (SELECT c.uid FROM claimed c))
     ORDER BY n.ordinal
    RETURNING uid
  )
  SELECT n.ordinal, CASE WHEN n.uid IN (SELECT w.uid FROM written w) THEN 'taken' ELSE coalesce(n.trouble, 'claimed') END
    FROM named n;
END $$;

CREATE FUNCTION public.tell_delivery_ended() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
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

CREATE FUNCTION public.tell_low_coupon_set(of_account bigint, of_set uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    AS $$
DECLARE
  low  coupon_set;
  here shown_coupon_set;
BEGIN
  SELECT * INTO here FROM shown_coupon_set s WHERE s.account_id = of_account AND s.coupon_set_id = of_set;
  IF NOT FOUND OR here.total = 0 OR here.low_watermark IS NULL OR here.available > here.low_watermark THEN
    RETURN false;
  END IF;
  SELECT * INTO low FROM coupon_set s
   WHERE s.account_id = of_account AND s.coupon_set_id = of_set AND NOT s.is_low
     FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE coupon_set s SET is_low = true WHERE s.account_id = of_account AND s.coupon_set_id = of_set;
  INSERT INTO event (account_id, uid, lane, subject, kind, format, occurred_at, trigger, hops, source, payload)
  VALUES (of_account, uuid_v7(), low.lane, low.alias, 'coupon-set.low', 1, transaction_timestamp(), 'all', 0, 'service',
          jsonb_build_object('couponSet', low.alias, 'available', here.available, 'lowWatermark', here.low_watermark));
  RETURN true;
END $$;

CREATE TABLE public.coupon_set (
    account_id bigint NOT NULL,
    coupon_set_id uuid NOT NULL,
    lane smallint NOT NULL,
    alias text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    kind text NOT NULL,
    code text,
    valid_from timestamp with time zone,
    expires_at timestamp with time zone,
    low_watermark bigint,
    is_low boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT coupon_set_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT coupon_set_check CHECK (((kind = 'shared'::text) = (code IS NOT NULL))),
    CONSTRAINT coupon_set_check1 CHECK ((expires_at > valid_from)),
    CONSTRAINT coupon_set_kind_check CHECK ((kind = ANY (ARRAY['unique'::text, 'shared'::text]))),
    CONSTRAINT coupon_set_low_watermark_check CHECK ((low_watermark >= 0)),
    CONSTRAINT coupon_set_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.coupon_set.account_id IS 'not personal';
COMMENT ON COLUMN public.coupon_set.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.coupon_set.lane IS 'not personal';
COMMENT ON COLUMN public.coupon_set.alias IS 'not personal';
COMMENT ON COLUMN public.coupon_set.name IS 'not personal';
COMMENT ON COLUMN public.coupon_set.kind IS 'not personal';
COMMENT ON COLUMN public.coupon_set.code IS 'not personal';
COMMENT ON COLUMN public.coupon_set.valid_from IS 'not personal';
COMMENT ON COLUMN public.coupon_set.expires_at IS 'not personal';
COMMENT ON COLUMN public.coupon_set.low_watermark IS 'not personal';
COMMENT ON COLUMN public.coupon_set.is_low IS 'not personal';
COMMENT ON COLUMN public.coupon_set.version IS 'not personal';
COMMENT ON COLUMN public.coupon_set.created_at IS 'not personal';
COMMENT ON COLUMN public.coupon_set.updated_at IS 'not personal';

CREATE FUNCTION public.tell_low_coupon_sets(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    BEGIN ATOMIC
 SELECT count(*) FILTER (WHERE public.tell_low_coupon_set(w.account_id, w.coupon_set_id)) AS count
    FROM ( SELECT s.account_id,
             s.coupon_set_id
            FROM public.coupon_set s
           WHERE ((s.low_watermark IS NOT NULL) AND (NOT s.is_low) AND ((s.low_watermark)::numeric >= ( SELECT sum(k.available) AS sum
                    FROM public.coupon_slot k
                   WHERE ((k.account_id = s.account_id) AND (k.coupon_set_id = s.coupon_set_id))
                  HAVING (sum(k.total) > (0)::numeric))))
          LIMIT tell_low_coupon_sets.most) w;
END;

CREATE FUNCTION public.this_database() RETURNS text
    LANGUAGE sql STABLE
    RETURN format('%s.%s'::text, (SELECT pg_control_system.system_identifier FROM pg_control_system() pg_control_system(pg_control_version, catalog_version_no, system_identifier, pg_control_last_modified)), (SELECT pg_database.oid FROM pg_database WHERE (pg_database.datname = current_database())));

CREATE FUNCTION public.wake_kinds_of(kinds text[]) RETURNS text[]
    LANGUAGE sql IMMUTABLE
    SET search_path TO 'pg_catalog', 'public', 'pg_temp'
    RETURN ARRAY(SELECT k.k FROM unnest(wake_kinds_of.kinds) k(k) WHERE ((k.k ~~ 'product.%'::text) OR (k.k = 'wake-more'::text)));

CREATE TABLE public.workflow (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    alias text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    status text NOT NULL,
    active_version integer,
    draft_version integer,
    finish_mode text,
    activated_at timestamp with time zone,
    finished_at timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT workflow_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT workflow_check CHECK (((active_version IS NOT NULL) OR (draft_version IS NOT NULL))),
    CONSTRAINT workflow_check1 CHECK (((active_version IS NOT NULL) OR (status = ANY (ARRAY['draft'::text, 'finished'::text])))),
    CONSTRAINT workflow_check2 CHECK (((status = 'finished'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT workflow_check3 CHECK (((status = 'finished'::text) = (finish_mode IS NOT NULL))),
    CONSTRAINT workflow_finish_mode_check CHECK ((finish_mode = ANY (ARRAY['drain'::text, 'stop'::text]))),
    CONSTRAINT workflow_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT workflow_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'finished'::text])))
);

COMMENT ON COLUMN public.workflow.account_id IS 'not personal';
COMMENT ON COLUMN public.workflow.workflow_id IS 'not personal';
COMMENT ON COLUMN public.workflow.alias IS 'not personal';
COMMENT ON COLUMN public.workflow.name IS 'not personal';
COMMENT ON COLUMN public.workflow.status IS 'not personal';
COMMENT ON COLUMN public.workflow.active_version IS 'not personal';
COMMENT ON COLUMN public.workflow.draft_version IS 'not personal';
COMMENT ON COLUMN public.workflow.finish_mode IS 'not personal';
COMMENT ON COLUMN public.workflow.activated_at IS 'not personal';
COMMENT ON COLUMN public.workflow.finished_at IS 'not personal';
COMMENT ON COLUMN public.workflow.version IS 'not personal';
COMMENT ON COLUMN public.workflow.created_at IS 'not personal';
COMMENT ON COLUMN public.workflow.updated_at IS 'not personal';

CREATE TABLE public.workflow_reference (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    number integer NOT NULL,
    field_id text COLLATE pg_catalog."C",
    event_type_id uuid,
    template_id uuid,
    coupon_set_id uuid,
    CONSTRAINT workflow_reference_check CHECK ((num_nonnulls(field_id, event_type_id, template_id, coupon_set_id) = 1))
);

COMMENT ON COLUMN public.workflow_reference.account_id IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.workflow_id IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.version IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.number IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.field_id IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.event_type_id IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.template_id IS 'not personal';
COMMENT ON COLUMN public.workflow_reference.coupon_set_id IS 'not personal';

CREATE FUNCTION public.workflows_using(of_account bigint, of_field text, of_event_type uuid, of_template uuid, of_coupon_set uuid) RETURNS json
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT COALESCE(json_agg(json_build_object('id', w.workflow_id, 'name', w.name) ORDER BY w.workflow_id), '[]'::json) AS "coalesce"
    FROM public.workflow w
   WHERE ((w.account_id = workflows_using.of_account) AND (w.workflow_id IN ( SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.field_id = workflows_using.of_field))
         UNION ALL
          SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.event_type_id = workflows_using.of_event_type))
         UNION ALL
          SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.template_id = workflows_using.of_template))
         UNION ALL
          SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.coupon_set_id = workflows_using.of_coupon_set)))));
END;

CREATE UNLOGGED TABLE public.bucket_use (
    account_id bigint NOT NULL,
    bucket uuid NOT NULL,
    process uuid NOT NULL,
    counted_from bigint NOT NULL,
    used bigint NOT NULL,
    used_before bigint NOT NULL,
    wanted bigint NOT NULL,
    wanted_before bigint NOT NULL,
    remaining bigint NOT NULL,
    at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.bucket_use.account_id IS 'not personal';
COMMENT ON COLUMN public.bucket_use.bucket IS 'not personal';
COMMENT ON COLUMN public.bucket_use.process IS 'not personal';
COMMENT ON COLUMN public.bucket_use.counted_from IS 'not personal';
COMMENT ON COLUMN public.bucket_use.used IS 'not personal';
COMMENT ON COLUMN public.bucket_use.used_before IS 'not personal';
COMMENT ON COLUMN public.bucket_use.wanted IS 'not personal';
COMMENT ON COLUMN public.bucket_use.wanted_before IS 'not personal';
COMMENT ON COLUMN public.bucket_use.remaining IS 'not personal';
COMMENT ON COLUMN public.bucket_use.at IS 'not personal';

CREATE TABLE public.claim_0 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_0.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_0.kind IS 'not personal';
COMMENT ON COLUMN public.claim_0.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_0.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_0.answer IS 'personal';
COMMENT ON COLUMN public.claim_0.made_at IS 'not personal';

CREATE TABLE public.claim_1 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_1.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_1.kind IS 'not personal';
COMMENT ON COLUMN public.claim_1.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_1.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_1.answer IS 'personal';
COMMENT ON COLUMN public.claim_1.made_at IS 'not personal';

CREATE TABLE public.claim_2 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_2.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_2.kind IS 'not personal';
COMMENT ON COLUMN public.claim_2.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_2.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_2.answer IS 'personal';
COMMENT ON COLUMN public.claim_2.made_at IS 'not personal';

CREATE TABLE public.claim_3 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_3.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_3.kind IS 'not personal';
COMMENT ON COLUMN public.claim_3.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_3.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_3.answer IS 'personal';
COMMENT ON COLUMN public.claim_3.made_at IS 'not personal';

CREATE TABLE public.claim_4 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_4.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_4.kind IS 'not personal';
COMMENT ON COLUMN public.claim_4.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_4.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_4.answer IS 'personal';
COMMENT ON COLUMN public.claim_4.made_at IS 'not personal';

CREATE TABLE public.claim_5 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_5.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_5.kind IS 'not personal';
COMMENT ON COLUMN public.claim_5.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_5.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_5.answer IS 'personal';
COMMENT ON COLUMN public.claim_5.made_at IS 'not personal';

CREATE TABLE public.claim_6 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_6.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_6.kind IS 'not personal';
COMMENT ON COLUMN public.claim_6.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_6.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_6.answer IS 'personal';
COMMENT ON COLUMN public.claim_6.made_at IS 'not personal';

CREATE TABLE public.claim_7 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_7.account_id IS 'not personal';
COMMENT ON COLUMN public.claim_7.kind IS 'not personal';
COMMENT ON COLUMN public.claim_7.key_hash IS 'not personal';
COMMENT ON COLUMN public.claim_7.request_hash IS 'not personal';
COMMENT ON COLUMN public.claim_7.answer IS 'personal';
COMMENT ON COLUMN public.claim_7.made_at IS 'not personal';

CREATE TABLE public.consent (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    channel text NOT NULL,
    at timestamp with time zone NOT NULL,
    status text NOT NULL,
    source text,
    ip text,
    user_agent text,
    wording text,
    method text,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT consent_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
    CONSTRAINT consent_method_check CHECK ((method = ANY (ARRAY['singleOptIn'::text, 'doubleOptIn'::text, 'softOptIn'::text, 'imported'::text]))),
    CONSTRAINT consent_status_check CHECK ((status = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text, 'pending'::text, 'none'::text])))
);

COMMENT ON COLUMN public.consent.account_id IS 'not personal';
COMMENT ON COLUMN public.consent.contact_id IS 'not personal';
COMMENT ON COLUMN public.consent.channel IS 'not personal';
COMMENT ON COLUMN public.consent.at IS 'not personal';
COMMENT ON COLUMN public.consent.status IS 'not personal';
COMMENT ON COLUMN public.consent.source IS 'personal';
COMMENT ON COLUMN public.consent.ip IS 'personal';
COMMENT ON COLUMN public.consent.user_agent IS 'personal';
COMMENT ON COLUMN public.consent.wording IS 'personal';
COMMENT ON COLUMN public.consent.method IS 'not personal';
COMMENT ON COLUMN public.consent.received_at IS 'not personal';

CREATE TABLE public.contact (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    lane smallint NOT NULL,
    email text,
    email_key text COLLATE pg_catalog."C",
    external_id text COLLATE pg_catalog."C",
    first_name text,
    last_name text,
    name_key text COLLATE pg_catalog."C",
    surname_key text COLLATE pg_catalog."C",
    company text,
    birth_date text,
    phone text COLLATE pg_catalog."C",
    locale text,
    time_zone text,
    country text,
    postal_code text,
    currency text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    email_subscription text DEFAULT 'none'::text NOT NULL,
    email_subscription_at timestamp with time zone,
    sms_subscription text DEFAULT 'none'::text NOT NULL,
    sms_subscription_at timestamp with time zone,
    email_status text DEFAULT 'active'::text NOT NULL,
    phone_status text DEFAULT 'active'::text NOT NULL,
    has_consent boolean DEFAULT false NOT NULL,
    source_updated_at timestamp with time zone,
    event_seq bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    purchases jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT contact_check CHECK (((email_key IS NOT NULL) OR (external_id IS NOT NULL))),
    CONSTRAINT contact_check1 CHECK (((email IS NULL) = (email_key IS NULL))),
    CONSTRAINT contact_email_status_check CHECK ((email_status = ANY (ARRAY['active'::text, 'paused'::text, 'bounced'::text, 'complained'::text]))),
    CONSTRAINT contact_email_subscription_check CHECK ((email_subscription = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text, 'pending'::text, 'none'::text]))),
    CONSTRAINT contact_phone_status_check CHECK ((phone_status = ANY (ARRAY['active'::text, 'paused'::text, 'bounced'::text, 'complained'::text]))),
    CONSTRAINT contact_sms_subscription_check CHECK ((sms_subscription = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text, 'pending'::text, 'none'::text])))
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.contact.account_id IS 'not personal';
COMMENT ON COLUMN public.contact.contact_id IS 'not personal';
COMMENT ON COLUMN public.contact.lane IS 'not personal';
COMMENT ON COLUMN public.contact.email IS 'personal';
COMMENT ON COLUMN public.contact.email_key IS 'personal';
COMMENT ON COLUMN public.contact.external_id IS 'personal';
COMMENT ON COLUMN public.contact.first_name IS 'personal';
COMMENT ON COLUMN public.contact.last_name IS 'personal';
COMMENT ON COLUMN public.contact.name_key IS 'personal';
COMMENT ON COLUMN public.contact.surname_key IS 'personal';
COMMENT ON COLUMN public.contact.company IS 'personal';
COMMENT ON COLUMN public.contact.birth_date IS 'personal';
COMMENT ON COLUMN public.contact.phone IS 'personal';
COMMENT ON COLUMN public.contact.locale IS 'personal';
COMMENT ON COLUMN public.contact.time_zone IS 'personal';
COMMENT ON COLUMN public.contact.country IS 'personal';
COMMENT ON COLUMN public.contact.postal_code IS 'personal';
COMMENT ON COLUMN public.contact.currency IS 'personal';
COMMENT ON COLUMN public.contact.tags IS 'personal';
COMMENT ON COLUMN public.contact.points IS 'personal';
COMMENT ON COLUMN public.contact.fields IS 'personal';
COMMENT ON COLUMN public.contact.email_subscription IS 'personal';
COMMENT ON COLUMN public.contact.email_subscription_at IS 'not personal';
COMMENT ON COLUMN public.contact.sms_subscription IS 'personal';
COMMENT ON COLUMN public.contact.sms_subscription_at IS 'not personal';
COMMENT ON COLUMN public.contact.email_status IS 'not personal';
COMMENT ON COLUMN public.contact.phone_status IS 'not personal';
COMMENT ON COLUMN public.contact.has_consent IS 'not personal';
COMMENT ON COLUMN public.contact.source_updated_at IS 'not personal';
COMMENT ON COLUMN public.contact.event_seq IS 'not personal';
COMMENT ON COLUMN public.contact.version IS 'not personal';
COMMENT ON COLUMN public.contact.created_at IS 'not personal';
COMMENT ON COLUMN public.contact.updated_at IS 'not personal';
COMMENT ON COLUMN public.contact.purchases IS 'personal';

CREATE TABLE public.contact_field (
    account_id bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    indexed boolean NOT NULL,
    required boolean NOT NULL,
    default_value json,
    options json DEFAULT '[]'::json NOT NULL,
    max_length integer,
    min json,
    max json,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT contact_field_check CHECK (((NOT required) OR (default_value IS NOT NULL))),
    CONSTRAINT contact_field_id_check CHECK ((id ~ '^[a-z][a-zA-Z0-9_]{0,63}$'::text)),
    CONSTRAINT contact_field_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT contact_field_number_check CHECK ((number > 0))
);

COMMENT ON COLUMN public.contact_field.account_id IS 'not personal';
COMMENT ON COLUMN public.contact_field.id IS 'not personal';
COMMENT ON COLUMN public.contact_field.number IS 'not personal';
COMMENT ON COLUMN public.contact_field.name IS 'not personal';
COMMENT ON COLUMN public.contact_field.type IS 'not personal';
COMMENT ON COLUMN public.contact_field.indexed IS 'not personal';
COMMENT ON COLUMN public.contact_field.required IS 'not personal';
COMMENT ON COLUMN public.contact_field.default_value IS 'not personal';
COMMENT ON COLUMN public.contact_field.options IS 'not personal';
COMMENT ON COLUMN public.contact_field.max_length IS 'not personal';
COMMENT ON COLUMN public.contact_field.min IS 'not personal';
COMMENT ON COLUMN public.contact_field.max IS 'not personal';
COMMENT ON COLUMN public.contact_field.version IS 'not personal';
COMMENT ON COLUMN public.contact_field.created_at IS 'not personal';
COMMENT ON COLUMN public.contact_field.updated_at IS 'not personal';

CREATE TABLE public.contact_field_counter (
    account_id bigint NOT NULL,
    last_number bigint NOT NULL,
    version bigint DEFAULT 1 NOT NULL
);

COMMENT ON COLUMN public.contact_field_counter.account_id IS 'not personal';
COMMENT ON COLUMN public.contact_field_counter.last_number IS 'not personal';
COMMENT ON COLUMN public.contact_field_counter.version IS 'not personal';

CREATE TABLE public.count_delta (
    number bigint NOT NULL,
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    node text NOT NULL,
    counter text NOT NULL,
    delta bigint NOT NULL,
    amount numeric DEFAULT 0 NOT NULL
);

COMMENT ON COLUMN public.count_delta.number IS 'not personal';
COMMENT ON COLUMN public.count_delta.account_id IS 'not personal';
COMMENT ON COLUMN public.count_delta.workflow_id IS 'not personal';
COMMENT ON COLUMN public.count_delta.node IS 'not personal';
COMMENT ON COLUMN public.count_delta.counter IS 'not personal';
COMMENT ON COLUMN public.count_delta.delta IS 'not personal';
COMMENT ON COLUMN public.count_delta.amount IS 'not personal';

ALTER TABLE public.count_delta ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.count_delta_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.count_merge (
    only_row boolean DEFAULT true NOT NULL,
    through bigint NOT NULL,
    next_through bigint NOT NULL,
    next_xmax xid8 NOT NULL,
    CONSTRAINT count_merge_only_row_check CHECK (only_row)
)
WITH (fillfactor='10');

COMMENT ON COLUMN public.count_merge.only_row IS 'not personal';
COMMENT ON COLUMN public.count_merge.through IS 'not personal';
COMMENT ON COLUMN public.count_merge.next_through IS 'not personal';
COMMENT ON COLUMN public.count_merge.next_xmax IS 'not personal';

CREATE TABLE public.coupon (
    account_id bigint NOT NULL,
    code_key text NOT NULL COLLATE pg_catalog."C",
    coupon_set_id uuid NOT NULL,
    number bigint NOT NULL,
    code text NOT NULL,
    shared boolean NOT NULL,
    claim_id uuid,
    redeemed boolean DEFAULT false NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT coupon_check CHECK (((NOT shared) OR ((claim_id IS NULL) AND (NOT redeemed))))
);

COMMENT ON COLUMN public.coupon.account_id IS 'not personal';
COMMENT ON COLUMN public.coupon.code_key IS 'not personal';
COMMENT ON COLUMN public.coupon.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.coupon.number IS 'not personal';
COMMENT ON COLUMN public.coupon.code IS 'not personal';
COMMENT ON COLUMN public.coupon.shared IS 'not personal';
COMMENT ON COLUMN public.coupon.claim_id IS 'not personal';
COMMENT ON COLUMN public.coupon.redeemed IS 'not personal';
COMMENT ON COLUMN public.coupon.added_at IS 'not personal';

CREATE TABLE public.coupon_claim (
    account_id bigint NOT NULL,
    claim_id uuid NOT NULL,
    coupon_set_id uuid NOT NULL,
    code_key text NOT NULL COLLATE pg_catalog."C",
    contact_id uuid,
    run_id uuid,
    claimed_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    workflow_id uuid,
    node text
);

COMMENT ON COLUMN public.coupon_claim.account_id IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.claim_id IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.code_key IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.contact_id IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.run_id IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.claimed_at IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.workflow_id IS 'not personal';
COMMENT ON COLUMN public.coupon_claim.node IS 'not personal';

ALTER TABLE public.coupon ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.coupon_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.coupon_redemption (
    account_id bigint NOT NULL,
    purchase_id uuid NOT NULL,
    code_key text NOT NULL COLLATE pg_catalog."C",
    coupon_set_id uuid NOT NULL,
    contact_id uuid,
    by_other boolean NOT NULL,
    redeemed_at timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.coupon_redemption.account_id IS 'not personal';
COMMENT ON COLUMN public.coupon_redemption.purchase_id IS 'not personal';
COMMENT ON COLUMN public.coupon_redemption.code_key IS 'not personal';
COMMENT ON COLUMN public.coupon_redemption.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.coupon_redemption.contact_id IS 'not personal';
COMMENT ON COLUMN public.coupon_redemption.by_other IS 'not personal';
COMMENT ON COLUMN public.coupon_redemption.redeemed_at IS 'not personal';

CREATE TABLE public.dropped_contact_field (
    account_id bigint NOT NULL,
    number bigint NOT NULL,
    dropped_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    done_until uuid
);

COMMENT ON COLUMN public.dropped_contact_field.account_id IS 'not personal';
COMMENT ON COLUMN public.dropped_contact_field.number IS 'not personal';
COMMENT ON COLUMN public.dropped_contact_field.dropped_at IS 'not personal';
COMMENT ON COLUMN public.dropped_contact_field.done_until IS 'not personal';

CREATE TABLE public.dropped_coupon_set (
    account_id bigint NOT NULL,
    coupon_set_id uuid NOT NULL,
    dropped_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.dropped_coupon_set.account_id IS 'not personal';
COMMENT ON COLUMN public.dropped_coupon_set.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.dropped_coupon_set.dropped_at IS 'not personal';

CREATE TABLE public.dropped_webhook (
    account_id bigint NOT NULL,
    webhook_id uuid NOT NULL,
    dropped_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.dropped_webhook.account_id IS 'not personal';
COMMENT ON COLUMN public.dropped_webhook.webhook_id IS 'not personal';
COMMENT ON COLUMN public.dropped_webhook.dropped_at IS 'not personal';

CREATE TABLE public.engine_interest (
    account_id bigint NOT NULL,
    version bigint NOT NULL,
    kinds text[] NOT NULL,
    wake_kinds text[] GENERATED ALWAYS AS (public.wake_kinds_of(kinds)) STORED NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.engine_interest.account_id IS 'not personal';
COMMENT ON COLUMN public.engine_interest.version IS 'not personal';
COMMENT ON COLUMN public.engine_interest.kinds IS 'not personal';
COMMENT ON COLUMN public.engine_interest.wake_kinds IS 'not personal';

CREATE TABLE public.enrolment (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    key text NOT NULL COLLATE pg_catalog."C",
    lane smallint NOT NULL,
    run_id uuid NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    seen text NOT NULL,
    CONSTRAINT enrolment_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.enrolment.account_id IS 'not personal';
COMMENT ON COLUMN public.enrolment.contact_id IS 'not personal';
COMMENT ON COLUMN public.enrolment.workflow_id IS 'not personal';
COMMENT ON COLUMN public.enrolment.key IS 'personal';
COMMENT ON COLUMN public.enrolment.lane IS 'not personal';
COMMENT ON COLUMN public.enrolment.run_id IS 'not personal';
COMMENT ON COLUMN public.enrolment.started_at IS 'not personal';
COMMENT ON COLUMN public.enrolment.ended_at IS 'not personal';
COMMENT ON COLUMN public.enrolment.seen IS 'not personal';

CREATE TABLE public.erased_contact (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    erased_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    round smallint DEFAULT 1 NOT NULL,
    kind text COLLATE pg_catalog."C",
    received_at timestamp with time zone,
    id bigint
);

COMMENT ON COLUMN public.erased_contact.account_id IS 'not personal';
COMMENT ON COLUMN public.erased_contact.contact_id IS 'not personal';
COMMENT ON COLUMN public.erased_contact.erased_at IS 'not personal';
COMMENT ON COLUMN public.erased_contact.due_at IS 'not personal';
COMMENT ON COLUMN public.erased_contact.round IS 'not personal';
COMMENT ON COLUMN public.erased_contact.kind IS 'not personal';
COMMENT ON COLUMN public.erased_contact.received_at IS 'not personal';
COMMENT ON COLUMN public.erased_contact.id IS 'not personal';

CREATE TABLE public.event_claim_0 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_0.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_0.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_0.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_0.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_0.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_0.made_at IS 'not personal';

CREATE TABLE public.event_claim_1 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_1.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_1.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_1.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_1.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_1.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_1.made_at IS 'not personal';

CREATE TABLE public.event_claim_2 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_2.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_2.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_2.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_2.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_2.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_2.made_at IS 'not personal';

CREATE TABLE public.event_claim_3 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_3.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_3.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_3.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_3.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_3.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_3.made_at IS 'not personal';

CREATE TABLE public.event_claim_4 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_4.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_4.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_4.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_4.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_4.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_4.made_at IS 'not personal';

CREATE TABLE public.event_claim_5 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_5.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_5.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_5.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_5.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_5.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_5.made_at IS 'not personal';

CREATE TABLE public.event_claim_6 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_6.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_6.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_6.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_6.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_6.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_6.made_at IS 'not personal';

CREATE TABLE public.event_claim_7 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_7.account_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_7.key_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_7.content_hash IS 'not personal';
COMMENT ON COLUMN public.event_claim_7.uid IS 'not personal';
COMMENT ON COLUMN public.event_claim_7.contact_id IS 'not personal';
COMMENT ON COLUMN public.event_claim_7.made_at IS 'not personal';

CREATE TABLE public.event_type (
    account_id bigint NOT NULL,
    event_type_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    name text NOT NULL,
    direction text NOT NULL,
    alias text COLLATE pg_catalog."C",
    fields jsonb DEFAULT '[]'::jsonb NOT NULL,
    additional_members text NOT NULL,
    url text,
    headers jsonb DEFAULT '[]'::jsonb NOT NULL,
    signing_secret bytea,
    previous_signing_secret bytea,
    previous_valid_until timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT event_type_additional_members_check CHECK ((additional_members = ANY (ARRAY['keep'::text, 'drop'::text, 'reject'::text]))),
    CONSTRAINT event_type_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT event_type_check CHECK (((direction = 'receive'::text) = (alias IS NOT NULL))),
    CONSTRAINT event_type_check1 CHECK (((direction = 'send'::text) = (url IS NOT NULL))),
    CONSTRAINT event_type_check2 CHECK (((direction = 'send'::text) = (signing_secret IS NOT NULL))),
    CONSTRAINT event_type_check3 CHECK (((previous_signing_secret IS NULL) = (previous_valid_until IS NULL))),
    CONSTRAINT event_type_direction_check CHECK ((direction = ANY (ARRAY['receive'::text, 'send'::text]))),
    CONSTRAINT event_type_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT event_type_url_check CHECK ((octet_length(url) <= 8192))
);

COMMENT ON COLUMN public.event_type.account_id IS 'not personal';
COMMENT ON COLUMN public.event_type.event_type_id IS 'not personal';
COMMENT ON COLUMN public.event_type.integration_id IS 'not personal';
COMMENT ON COLUMN public.event_type.name IS 'not personal';
COMMENT ON COLUMN public.event_type.direction IS 'not personal';
COMMENT ON COLUMN public.event_type.alias IS 'not personal';
COMMENT ON COLUMN public.event_type.fields IS 'not personal';
COMMENT ON COLUMN public.event_type.additional_members IS 'not personal';
COMMENT ON COLUMN public.event_type.url IS 'not personal';
COMMENT ON COLUMN public.event_type.headers IS 'not personal';
COMMENT ON COLUMN public.event_type.signing_secret IS 'not personal';
COMMENT ON COLUMN public.event_type.previous_signing_secret IS 'not personal';
COMMENT ON COLUMN public.event_type.previous_valid_until IS 'not personal';
COMMENT ON COLUMN public.event_type.version IS 'not personal';
COMMENT ON COLUMN public.event_type.created_at IS 'not personal';
COMMENT ON COLUMN public.event_type.updated_at IS 'not personal';

CREATE TABLE public.event_type_counter (
    account_id bigint NOT NULL,
    version bigint DEFAULT 1 NOT NULL
);

COMMENT ON COLUMN public.event_type_counter.account_id IS 'not personal';
COMMENT ON COLUMN public.event_type_counter.version IS 'not personal';

CREATE TABLE public.import_failure (
    account_id bigint NOT NULL,
    job_id uuid NOT NULL,
    "row" bigint NOT NULL,
    pointer text NOT NULL,
    code text NOT NULL,
    detail text NOT NULL,
    line text NOT NULL
);

COMMENT ON COLUMN public.import_failure.account_id IS 'not personal';
COMMENT ON COLUMN public.import_failure.job_id IS 'not personal';
COMMENT ON COLUMN public.import_failure."row" IS 'not personal';
COMMENT ON COLUMN public.import_failure.pointer IS 'not personal';
COMMENT ON COLUMN public.import_failure.code IS 'not personal';
COMMENT ON COLUMN public.import_failure.detail IS 'personal';
COMMENT ON COLUMN public.import_failure.line IS 'personal';

CREATE TABLE public.intake_sender (
    topic text NOT NULL COLLATE pg_catalog."C",
    partition smallint NOT NULL,
    sender uuid NOT NULL,
    number bigint NOT NULL,
    seen_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
)
WITH (fillfactor='20');

COMMENT ON COLUMN public.intake_sender.topic IS 'not personal';
COMMENT ON COLUMN public.intake_sender.partition IS 'not personal';
COMMENT ON COLUMN public.intake_sender.sender IS 'not personal';
COMMENT ON COLUMN public.intake_sender.number IS 'not personal';
COMMENT ON COLUMN public.intake_sender.seen_at IS 'not personal';

CREATE TABLE public.integration (
    account_id bigint NOT NULL,
    integration_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    color text,
    image_url text,
    events_enabled boolean NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT integration_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT integration_image_url_check CHECK ((octet_length(image_url) <= 8192)),
    CONSTRAINT integration_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.integration.account_id IS 'not personal';
COMMENT ON COLUMN public.integration.integration_id IS 'not personal';
COMMENT ON COLUMN public.integration.name IS 'not personal';
COMMENT ON COLUMN public.integration.description IS 'not personal';
COMMENT ON COLUMN public.integration.color IS 'not personal';
COMMENT ON COLUMN public.integration.image_url IS 'not personal';
COMMENT ON COLUMN public.integration.events_enabled IS 'not personal';
COMMENT ON COLUMN public.integration.version IS 'not personal';
COMMENT ON COLUMN public.integration.created_at IS 'not personal';
COMMENT ON COLUMN public.integration.updated_at IS 'not personal';

CREATE TABLE public.job (
    account_id bigint NOT NULL,
    job_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'queued'::text NOT NULL COLLATE pg_catalog."C",
    attempt integer DEFAULT 0 NOT NULL,
    generation bigint DEFAULT 0 NOT NULL,
    leased_until timestamp with time zone,
    done bigint DEFAULT 0 NOT NULL,
    total bigint,
    options jsonb NOT NULL,
    result jsonb,
    error jsonb,
    key_id uuid,
    queued_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    expires_at timestamp with time zone,
    CONSTRAINT job_check CHECK (((state = 'inProgress'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT job_kind_check CHECK ((kind = ANY (ARRAY['export'::text, 'import'::text, 'run-commands'::text]))),
    CONSTRAINT job_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'inProgress'::text, 'finished'::text, 'error'::text, 'cancelled'::text, 'expired'::text])))
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.job.account_id IS 'not personal';
COMMENT ON COLUMN public.job.job_id IS 'not personal';
COMMENT ON COLUMN public.job.kind IS 'not personal';
COMMENT ON COLUMN public.job.type IS 'not personal';
COMMENT ON COLUMN public.job.state IS 'not personal';
COMMENT ON COLUMN public.job.attempt IS 'not personal';
COMMENT ON COLUMN public.job.generation IS 'not personal';
COMMENT ON COLUMN public.job.leased_until IS 'not personal';
COMMENT ON COLUMN public.job.done IS 'not personal';
COMMENT ON COLUMN public.job.total IS 'not personal';
COMMENT ON COLUMN public.job.options IS 'not personal';
COMMENT ON COLUMN public.job.result IS 'not personal';
COMMENT ON COLUMN public.job.error IS 'not personal';
COMMENT ON COLUMN public.job.key_id IS 'not personal';
COMMENT ON COLUMN public.job.queued_at IS 'not personal';
COMMENT ON COLUMN public.job.updated_at IS 'not personal';
COMMENT ON COLUMN public.job.started_at IS 'not personal';
COMMENT ON COLUMN public.job.finished_at IS 'not personal';
COMMENT ON COLUMN public.job.expires_at IS 'not personal';

CREATE UNLOGGED TABLE public.key_use (
    account_id bigint NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    deprecated_requests bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.key_use.account_id IS 'not personal';
COMMENT ON COLUMN public.key_use.key_id IS 'not personal';
COMMENT ON COLUMN public.key_use.last_used_at IS 'not personal';
COMMENT ON COLUMN public.key_use.deprecated_requests IS 'not personal';

CREATE TABLE public.lane_owner (
    reader text NOT NULL COLLATE pg_catalog."C",
    lane_group smallint NOT NULL,
    owner uuid,
    generation bigint DEFAULT 0 NOT NULL,
    CONSTRAINT lane_owner_lane_group_check CHECK (((lane_group >= 0) AND (lane_group <= 63)))
);

COMMENT ON COLUMN public.lane_owner.reader IS 'not personal';
COMMENT ON COLUMN public.lane_owner.lane_group IS 'not personal';
COMMENT ON COLUMN public.lane_owner.owner IS 'not personal';
COMMENT ON COLUMN public.lane_owner.generation IS 'not personal';

ALTER TABLE public.lane_position ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.lane_position_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.log_epoch (
    epoch integer NOT NULL,
    life text NOT NULL,
    start_id bigint NOT NULL,
    began_at timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.log_epoch.epoch IS 'not personal';
COMMENT ON COLUMN public.log_epoch.life IS 'not personal';
COMMENT ON COLUMN public.log_epoch.start_id IS 'not personal';
COMMENT ON COLUMN public.log_epoch.began_at IS 'not personal';

CREATE TABLE public.log_parked (
    account_id bigint NOT NULL,
    reader text NOT NULL COLLATE pg_catalog."C",
    event_id bigint NOT NULL,
    received_at timestamp with time zone NOT NULL,
    uid uuid NOT NULL,
    kind text NOT NULL,
    reason text NOT NULL,
    parked_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.log_parked.account_id IS 'not personal';
COMMENT ON COLUMN public.log_parked.reader IS 'not personal';
COMMENT ON COLUMN public.log_parked.event_id IS 'not personal';
COMMENT ON COLUMN public.log_parked.received_at IS 'not personal';
COMMENT ON COLUMN public.log_parked.uid IS 'not personal';
COMMENT ON COLUMN public.log_parked.kind IS 'not personal';
COMMENT ON COLUMN public.log_parked.reason IS 'not personal';
COMMENT ON COLUMN public.log_parked.parked_at IS 'not personal';

CREATE VIEW public.log_position WITH (security_invoker='true') AS
 SELECT o.reader,
    o.lane_group,
    o.owner,
    o.generation,
    p.tick,
    p.through,
    p.after_id
   FROM ((( SELECT DISTINCT lane_owner.reader
           FROM public.lane_owner) r
     CROSS JOIN LATERAL public.lane_positions(r.reader) p(lane_group, number, at, tick, through, after_id))
     JOIN public.lane_owner o ON (((o.reader = r.reader) AND (o.lane_group = p.lane_group))));

COMMENT ON COLUMN public.log_position.reader IS 'not personal';
COMMENT ON COLUMN public.log_position.lane_group IS 'not personal';
COMMENT ON COLUMN public.log_position.owner IS 'not personal';
COMMENT ON COLUMN public.log_position.generation IS 'not personal';
COMMENT ON COLUMN public.log_position.tick IS 'not personal';
COMMENT ON COLUMN public.log_position.through IS 'not personal';
COMMENT ON COLUMN public.log_position.after_id IS 'not personal';

CREATE TABLE public.merged_contact (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    lane smallint NOT NULL,
    into_id uuid NOT NULL,
    merged_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.merged_contact.account_id IS 'not personal';
COMMENT ON COLUMN public.merged_contact.contact_id IS 'not personal';
COMMENT ON COLUMN public.merged_contact.lane IS 'not personal';
COMMENT ON COLUMN public.merged_contact.into_id IS 'not personal';
COMMENT ON COLUMN public.merged_contact.merged_at IS 'not personal';

CREATE TABLE public.message (
    account_id bigint NOT NULL,
    message_id uuid NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid,
    class text NOT NULL,
    bulk boolean NOT NULL,
    priority integer NOT NULL,
    workflow_id uuid,
    run_id uuid,
    node text,
    template text NOT NULL,
    send_rules json,
    skips_at_cap boolean NOT NULL,
    planned_at timestamp with time zone NOT NULL,
    hops smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    state text DEFAULT 'planned'::text NOT NULL,
    reason text,
    ended_at timestamp with time zone,
    CONSTRAINT message_check CHECK (((state = 'planned'::text) = (ended_at IS NULL))),
    CONSTRAINT message_check1 CHECK (((state = 'planned'::text) = (due_at IS NOT NULL))),
    CONSTRAINT message_class_check CHECK ((class = ANY (ARRAY['marketing'::text, 'transactional'::text]))),
    CONSTRAINT message_lane_check CHECK (((lane >= 0) AND (lane <= 1023))),
    CONSTRAINT message_state_check CHECK ((state = ANY (ARRAY['planned'::text, 'sent'::text, 'failed'::text, 'suppressed'::text, 'skipped'::text, 'unknown'::text])))
)
PARTITION BY RANGE (message_id);

COMMENT ON COLUMN public.message.account_id IS 'not personal';
COMMENT ON COLUMN public.message.message_id IS 'not personal';
COMMENT ON COLUMN public.message.lane IS 'not personal';
COMMENT ON COLUMN public.message.contact_id IS 'not personal';
COMMENT ON COLUMN public.message.class IS 'not personal';
COMMENT ON COLUMN public.message.bulk IS 'not personal';
COMMENT ON COLUMN public.message.priority IS 'not personal';
COMMENT ON COLUMN public.message.workflow_id IS 'not personal';
COMMENT ON COLUMN public.message.run_id IS 'not personal';
COMMENT ON COLUMN public.message.node IS 'not personal';
COMMENT ON COLUMN public.message.template IS 'not personal';
COMMENT ON COLUMN public.message.send_rules IS 'not personal';
COMMENT ON COLUMN public.message.skips_at_cap IS 'not personal';
COMMENT ON COLUMN public.message.planned_at IS 'not personal';
COMMENT ON COLUMN public.message.hops IS 'not personal';
COMMENT ON COLUMN public.message.due_at IS 'not personal';
COMMENT ON COLUMN public.message.state IS 'not personal';
COMMENT ON COLUMN public.message.reason IS 'not personal';
COMMENT ON COLUMN public.message.ended_at IS 'not personal';

CREATE TABLE public.node_count (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    node text NOT NULL,
    counter text NOT NULL,
    people bigint NOT NULL,
    amount numeric DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.node_count.account_id IS 'not personal';
COMMENT ON COLUMN public.node_count.workflow_id IS 'not personal';
COMMENT ON COLUMN public.node_count.node IS 'not personal';
COMMENT ON COLUMN public.node_count.counter IS 'not personal';
COMMENT ON COLUMN public.node_count.people IS 'not personal';
COMMENT ON COLUMN public.node_count.amount IS 'not personal';

CREATE VIEW public.process WITH (security_invoker='true') AS
 SELECT p.process,
    p.version,
    p.started_at,
    COALESCE(h.at, LEAST(p.beat_at, (transaction_timestamp() - '00:01:00'::interval))) AS beat_at,
    p.readers,
    p.keyring_keys
   FROM (public.running_process p
     LEFT JOIN ( SELECT heartbeat.process,
            max(heartbeat.at) AS at
           FROM public.heartbeat
          WHERE ((heartbeat.at > (transaction_timestamp() - '00:01:00'::interval)) AND (heartbeat.at < (transaction_timestamp() + '00:00:05'::interval)))
          GROUP BY heartbeat.process) h ON ((h.process = p.process)));

COMMENT ON COLUMN public.process.process IS 'not personal';
COMMENT ON COLUMN public.process.version IS 'not personal';
COMMENT ON COLUMN public.process.started_at IS 'not personal';
COMMENT ON COLUMN public.process.beat_at IS 'not personal';
COMMENT ON COLUMN public.process.readers IS 'not personal';
COMMENT ON COLUMN public.process.keyring_keys IS 'not personal';

CREATE TABLE public.product (
    account_id bigint NOT NULL,
    product_id uuid NOT NULL,
    store_id text NOT NULL COLLATE pg_catalog."C",
    name_key text COLLATE pg_catalog."C",
    data jsonb NOT NULL,
    source_updated_at timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.product.account_id IS 'not personal';
COMMENT ON COLUMN public.product.product_id IS 'not personal';
COMMENT ON COLUMN public.product.store_id IS 'not personal';
COMMENT ON COLUMN public.product.name_key IS 'not personal';
COMMENT ON COLUMN public.product.data IS 'not personal';
COMMENT ON COLUMN public.product.source_updated_at IS 'not personal';
COMMENT ON COLUMN public.product.version IS 'not personal';
COMMENT ON COLUMN public.product.created_at IS 'not personal';
COMMENT ON COLUMN public.product.updated_at IS 'not personal';

CREATE TABLE public.purchase (
    account_id bigint NOT NULL,
    purchase_id uuid NOT NULL,
    store_id text NOT NULL COLLATE pg_catalog."C",
    contact_id uuid,
    lane smallint NOT NULL,
    purchased_at timestamp with time zone NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    net_total numeric(24,6) NOT NULL,
    store_amount numeric(24,6),
    data jsonb NOT NULL,
    content_hash bytea NOT NULL,
    told text[] DEFAULT '{}'::text[] NOT NULL,
    source_updated_at timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    moved_xid xid8
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.purchase.account_id IS 'not personal';
COMMENT ON COLUMN public.purchase.purchase_id IS 'not personal';
COMMENT ON COLUMN public.purchase.store_id IS 'not personal';
COMMENT ON COLUMN public.purchase.contact_id IS 'not personal';
COMMENT ON COLUMN public.purchase.lane IS 'not personal';
COMMENT ON COLUMN public.purchase.purchased_at IS 'not personal';
COMMENT ON COLUMN public.purchase.status IS 'not personal';
COMMENT ON COLUMN public.purchase.currency IS 'not personal';
COMMENT ON COLUMN public.purchase.net_total IS 'not personal';
COMMENT ON COLUMN public.purchase.store_amount IS 'not personal';
COMMENT ON COLUMN public.purchase.data IS 'not personal';
COMMENT ON COLUMN public.purchase.content_hash IS 'not personal';
COMMENT ON COLUMN public.purchase.told IS 'not personal';
COMMENT ON COLUMN public.purchase.source_updated_at IS 'not personal';
COMMENT ON COLUMN public.purchase.version IS 'not personal';
COMMENT ON COLUMN public.purchase.created_at IS 'not personal';
COMMENT ON COLUMN public.purchase.updated_at IS 'not personal';
COMMENT ON COLUMN public.purchase.moved_xid IS 'not personal';

CREATE TABLE public.purchase_attribution (
    account_id bigint NOT NULL,
    store_id text NOT NULL COLLATE pg_catalog."C",
    purchase_id uuid NOT NULL,
    version bigint NOT NULL,
    rule text NOT NULL,
    workflow_id uuid NOT NULL,
    node text,
    run_id uuid NOT NULL,
    message_id uuid,
    amount numeric(24,6) NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.purchase_attribution.account_id IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.store_id IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.purchase_id IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.version IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.rule IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.workflow_id IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.node IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.run_id IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.message_id IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.amount IS 'not personal';
COMMENT ON COLUMN public.purchase_attribution.xid IS 'not personal';

CREATE VIEW public.reader_account WITH (security_invoker='true') AS
 SELECT 'webhooks'::text AS reader,
    webhook.account_id,
    NULL::text[] AS kinds
   FROM public.webhook
  WHERE ((webhook.state <> 'disabled'::text) AND (webhook.event_type IS NULL))
UNION ALL
 SELECT 'webhooks'::text AS reader,
    engine_interest.account_id,
    ARRAY['send-webhook'::text] AS kinds
   FROM public.engine_interest
UNION ALL
 SELECT 'automation'::text AS reader,
    engine_interest.account_id,
    engine_interest.kinds
   FROM public.engine_interest
UNION ALL
 SELECT 'wakes'::text AS reader,
    engine_interest.account_id,
    engine_interest.wake_kinds AS kinds
   FROM public.engine_interest;

COMMENT ON COLUMN public.reader_account.reader IS 'not personal';
COMMENT ON COLUMN public.reader_account.account_id IS 'not personal';
COMMENT ON COLUMN public.reader_account.kinds IS 'not personal';

CREATE TABLE public.run_history (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    run_id uuid NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    node text NOT NULL,
    key text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone NOT NULL,
    converted boolean NOT NULL,
    trail text NOT NULL,
    why text NOT NULL
)
PARTITION BY RANGE (ended_at);

COMMENT ON COLUMN public.run_history.account_id IS 'not personal';
COMMENT ON COLUMN public.run_history.contact_id IS 'not personal';
COMMENT ON COLUMN public.run_history.run_id IS 'not personal';
COMMENT ON COLUMN public.run_history.workflow_id IS 'not personal';
COMMENT ON COLUMN public.run_history.version IS 'not personal';
COMMENT ON COLUMN public.run_history.node IS 'not personal';
COMMENT ON COLUMN public.run_history.key IS 'personal';
COMMENT ON COLUMN public.run_history.started_at IS 'not personal';
COMMENT ON COLUMN public.run_history.ended_at IS 'not personal';
COMMENT ON COLUMN public.run_history.converted IS 'not personal';
COMMENT ON COLUMN public.run_history.trail IS 'not personal';
COMMENT ON COLUMN public.run_history.why IS 'not personal';

CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.schema_migration.number IS 'not personal';
COMMENT ON COLUMN public.schema_migration.name IS 'not personal';
COMMENT ON COLUMN public.schema_migration.checksum IS 'not personal';
COMMENT ON COLUMN public.schema_migration.applied_at IS 'not personal';

CREATE VIEW public.shown_contact WITH (security_invoker='true') AS
 SELECT account_id,
    contact_id,
    lane,
    email,
    email_key,
    external_id,
    first_name,
    last_name,
    name_key,
    surname_key,
    company,
    birth_date,
    phone,
    locale,
    time_zone,
    country,
    postal_code,
    currency,
    tags,
    points,
    fields,
    email_subscription,
    email_subscription_at,
    sms_subscription,
    sms_subscription_at,
    email_status,
    phone_status,
    has_consent,
    source_updated_at,
    event_seq,
    version,
    created_at,
    updated_at,
    ( SELECT f.version
           FROM public.contact_field_counter f
          WHERE (f.account_id = c.account_id)) AS fields_version,
        CASE
            WHEN has_consent THEN ( SELECT json_agg(h.entry ORDER BY h.at DESC, h.channel, h.status) AS json_agg
               FROM ( SELECT k.at,
                        k.channel,
                        k.status,
                        json_build_object('channel', k.channel, 'status', k.status, 'at', to_char((k.at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text), 'source', k.source, 'ip', k.ip, 'userAgent', k.user_agent, 'wording', k.wording, 'method', k.method) AS entry
                       FROM public.consent k
                      WHERE ((k.account_id = c.account_id) AND (k.contact_id = c.contact_id))
                      ORDER BY k.at DESC, k.channel, k.status
                     LIMIT 100) h)
            ELSE NULL::json
        END AS consent,
    purchases
   FROM public.contact c;

COMMENT ON COLUMN public.shown_contact.account_id IS 'not personal';
COMMENT ON COLUMN public.shown_contact.contact_id IS 'not personal';
COMMENT ON COLUMN public.shown_contact.lane IS 'not personal';
COMMENT ON COLUMN public.shown_contact.email IS 'personal';
COMMENT ON COLUMN public.shown_contact.email_key IS 'personal';
COMMENT ON COLUMN public.shown_contact.external_id IS 'personal';
COMMENT ON COLUMN public.shown_contact.first_name IS 'personal';
COMMENT ON COLUMN public.shown_contact.last_name IS 'personal';
COMMENT ON COLUMN public.shown_contact.name_key IS 'personal';
COMMENT ON COLUMN public.shown_contact.surname_key IS 'personal';
COMMENT ON COLUMN public.shown_contact.company IS 'personal';
COMMENT ON COLUMN public.shown_contact.birth_date IS 'personal';
COMMENT ON COLUMN public.shown_contact.phone IS 'personal';
COMMENT ON COLUMN public.shown_contact.locale IS 'personal';
COMMENT ON COLUMN public.shown_contact.time_zone IS 'personal';
COMMENT ON COLUMN public.shown_contact.country IS 'personal';
COMMENT ON COLUMN public.shown_contact.postal_code IS 'personal';
COMMENT ON COLUMN public.shown_contact.currency IS 'personal';
COMMENT ON COLUMN public.shown_contact.tags IS 'personal';
COMMENT ON COLUMN public.shown_contact.points IS 'personal';
COMMENT ON COLUMN public.shown_contact.fields IS 'personal';
COMMENT ON COLUMN public.shown_contact.email_subscription IS 'personal';
COMMENT ON COLUMN public.shown_contact.email_subscription_at IS 'not personal';
COMMENT ON COLUMN public.shown_contact.sms_subscription IS 'personal';
COMMENT ON COLUMN public.shown_contact.sms_subscription_at IS 'not personal';
COMMENT ON COLUMN public.shown_contact.email_status IS 'not personal';
COMMENT ON COLUMN public.shown_contact.phone_status IS 'not personal';
COMMENT ON COLUMN public.shown_contact.has_consent IS 'not personal';
COMMENT ON COLUMN public.shown_contact.source_updated_at IS 'not personal';
COMMENT ON COLUMN public.shown_contact.event_seq IS 'not personal';
COMMENT ON COLUMN public.shown_contact.version IS 'not personal';
COMMENT ON COLUMN public.shown_contact.created_at IS 'not personal';
COMMENT ON COLUMN public.shown_contact.updated_at IS 'not personal';
COMMENT ON COLUMN public.shown_contact.fields_version IS 'not personal';
COMMENT ON COLUMN public.shown_contact.consent IS 'personal';
COMMENT ON COLUMN public.shown_contact.purchases IS 'personal';

CREATE VIEW public.shown_coupon_set WITH (security_invoker='true') AS
 SELECT s.account_id,
    s.coupon_set_id,
    s.alias,
    s.name,
    s.kind,
    s.code,
    s.valid_from,
    s.expires_at,
    s.low_watermark,
    s.version,
    s.created_at,
    s.updated_at,
    c.total,
    c.available,
    c.assigned,
    c.redeemed,
    public.workflows_using(s.account_id, NULL::text, NULL::uuid, NULL::uuid, s.coupon_set_id) AS used_in_workflows
   FROM (public.coupon_set s
     CROSS JOIN LATERAL ( SELECT (COALESCE(sum(k.total), (0)::numeric))::bigint AS total,
            (COALESCE(sum(k.available), (0)::numeric))::bigint AS available,
            (COALESCE(sum(k.assigned), (0)::numeric))::bigint AS assigned,
            (COALESCE(sum(k.redeemed), (0)::numeric))::bigint AS redeemed
           FROM public.coupon_slot k
          WHERE ((k.account_id = s.account_id) AND (k.coupon_set_id = s.coupon_set_id))) c);

COMMENT ON COLUMN public.shown_coupon_set.account_id IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.coupon_set_id IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.alias IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.name IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.kind IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.code IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.valid_from IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.expires_at IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.low_watermark IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.version IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.created_at IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.updated_at IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.total IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.available IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.assigned IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.redeemed IS 'not personal';
COMMENT ON COLUMN public.shown_coupon_set.used_in_workflows IS 'not personal';

CREATE VIEW public.shown_purchase WITH (security_invoker='true') AS
 SELECT account_id,
    purchase_id,
    store_id,
    contact_id,
    lane,
    purchased_at,
    status,
    currency,
    net_total,
    store_amount,
    data,
    content_hash,
    told,
    source_updated_at,
    version,
    created_at,
    updated_at,
    ( SELECT json_build_object('workflowId', a.workflow_id, 'nodeId', a.node, 'messageId', a.message_id, 'rule', a.rule) AS json_build_object
           FROM public.purchase_attribution a
          WHERE ((a.account_id = p.account_id) AND (a.store_id = p.store_id) AND (a.purchase_id = p.purchase_id))) AS attributed_to
   FROM public.purchase p;

COMMENT ON COLUMN public.shown_purchase.account_id IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.purchase_id IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.store_id IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.contact_id IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.lane IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.purchased_at IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.status IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.currency IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.net_total IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.store_amount IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.data IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.content_hash IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.told IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.source_updated_at IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.version IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.created_at IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.updated_at IS 'not personal';
COMMENT ON COLUMN public.shown_purchase.attributed_to IS 'not personal';

CREATE TABLE public.store_usage (
    account_id bigint NOT NULL,
    contacts bigint DEFAULT 0 NOT NULL,
    products bigint DEFAULT 0 NOT NULL,
    purchases bigint DEFAULT 0 NOT NULL,
    events_this_month bigint DEFAULT 0 NOT NULL,
    as_of timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    stale boolean DEFAULT false NOT NULL
);

COMMENT ON COLUMN public.store_usage.account_id IS 'not personal';
COMMENT ON COLUMN public.store_usage.contacts IS 'not personal';
COMMENT ON COLUMN public.store_usage.products IS 'not personal';
COMMENT ON COLUMN public.store_usage.purchases IS 'not personal';
COMMENT ON COLUMN public.store_usage.events_this_month IS 'not personal';
COMMENT ON COLUMN public.store_usage.as_of IS 'not personal';
COMMENT ON COLUMN public.store_usage.stale IS 'not personal';

CREATE TABLE public.stored_file (
    account_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    job_id uuid NOT NULL,
    remove_at timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.stored_file.account_id IS 'not personal';
COMMENT ON COLUMN public.stored_file.name IS 'not personal';
COMMENT ON COLUMN public.stored_file.job_id IS 'not personal';
COMMENT ON COLUMN public.stored_file.remove_at IS 'not personal';

CREATE TABLE public.subject_wait (
    account_id bigint NOT NULL,
    subject text NOT NULL COLLATE pg_catalog."C",
    since timestamp with time zone NOT NULL,
    run_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    lane smallint NOT NULL,
    per_unit integer NOT NULL,
    CONSTRAINT subject_wait_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
);

COMMENT ON COLUMN public.subject_wait.account_id IS 'not personal';
COMMENT ON COLUMN public.subject_wait.subject IS 'not personal';
COMMENT ON COLUMN public.subject_wait.since IS 'not personal';
COMMENT ON COLUMN public.subject_wait.run_id IS 'not personal';
COMMENT ON COLUMN public.subject_wait.contact_id IS 'not personal';
COMMENT ON COLUMN public.subject_wait.lane IS 'not personal';
COMMENT ON COLUMN public.subject_wait.per_unit IS 'not personal';

CREATE TABLE public.suppression (
    account_id bigint NOT NULL,
    channel text NOT NULL,
    address_hash bytea NOT NULL,
    reason text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT suppression_address_hash_check CHECK ((octet_length(address_hash) = 32)),
    CONSTRAINT suppression_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
    CONSTRAINT suppression_reason_check CHECK ((reason = ANY (ARRAY['unsubscribed'::text, 'complained'::text])))
);

COMMENT ON COLUMN public.suppression.account_id IS 'not personal';
COMMENT ON COLUMN public.suppression.channel IS 'not personal';
COMMENT ON COLUMN public.suppression.address_hash IS 'not personal';
COMMENT ON COLUMN public.suppression.reason IS 'not personal';
COMMENT ON COLUMN public.suppression.at IS 'not personal';

CREATE TABLE public.template (
    account_id bigint NOT NULL,
    template_id uuid NOT NULL,
    alias text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    published_version integer,
    draft_version integer,
    CONSTRAINT template_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT template_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.template.account_id IS 'not personal';
COMMENT ON COLUMN public.template.template_id IS 'not personal';
COMMENT ON COLUMN public.template.alias IS 'not personal';
COMMENT ON COLUMN public.template.name IS 'not personal';
COMMENT ON COLUMN public.template.version IS 'not personal';
COMMENT ON COLUMN public.template.created_at IS 'not personal';
COMMENT ON COLUMN public.template.updated_at IS 'not personal';
COMMENT ON COLUMN public.template.published_version IS 'not personal';
COMMENT ON COLUMN public.template.draft_version IS 'not personal';

CREATE TABLE public.template_version (
    account_id bigint NOT NULL,
    template_id uuid NOT NULL,
    version integer NOT NULL,
    content json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT template_version_version_check CHECK ((version > 0))
);

COMMENT ON COLUMN public.template_version.account_id IS 'not personal';
COMMENT ON COLUMN public.template_version.template_id IS 'not personal';
COMMENT ON COLUMN public.template_version.version IS 'not personal';
COMMENT ON COLUMN public.template_version.content IS 'not personal';
COMMENT ON COLUMN public.template_version.created_at IS 'not personal';
COMMENT ON COLUMN public.template_version.published_at IS 'not personal';

CREATE TABLE public.usage_position (
    one boolean DEFAULT true NOT NULL,
    database text NOT NULL,
    shows pg_snapshot NOT NULL,
    since timestamp with time zone NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT usage_position_one_check CHECK (one)
)
WITH (fillfactor='20');

COMMENT ON COLUMN public.usage_position.one IS 'not personal';
COMMENT ON COLUMN public.usage_position.database IS 'not personal';
COMMENT ON COLUMN public.usage_position.shows IS 'not personal';
COMMENT ON COLUMN public.usage_position.since IS 'not personal';
COMMENT ON COLUMN public.usage_position.at IS 'not personal';

CREATE TABLE public.webhook_chain (
    account_id bigint NOT NULL,
    webhook_id uuid NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid NOT NULL,
    last_sequence bigint NOT NULL,
    head uuid
)
WITH (fillfactor='80');

COMMENT ON COLUMN public.webhook_chain.account_id IS 'not personal';
COMMENT ON COLUMN public.webhook_chain.webhook_id IS 'not personal';
COMMENT ON COLUMN public.webhook_chain.lane IS 'not personal';
COMMENT ON COLUMN public.webhook_chain.contact_id IS 'not personal';
COMMENT ON COLUMN public.webhook_chain.last_sequence IS 'not personal';
COMMENT ON COLUMN public.webhook_chain.head IS 'not personal';

CREATE TABLE public.webhook_chain_scan (
    only_row boolean DEFAULT true NOT NULL,
    after_account bigint DEFAULT 0 NOT NULL,
    after_webhook uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    after_lane smallint DEFAULT 0 NOT NULL,
    after_contact uuid DEFAULT '00000000-0000-0000-0000-000000000000'::uuid NOT NULL,
    CONSTRAINT webhook_chain_scan_only_row_check CHECK (only_row)
);

COMMENT ON COLUMN public.webhook_chain_scan.only_row IS 'not personal';
COMMENT ON COLUMN public.webhook_chain_scan.after_account IS 'not personal';
COMMENT ON COLUMN public.webhook_chain_scan.after_webhook IS 'not personal';
COMMENT ON COLUMN public.webhook_chain_scan.after_lane IS 'not personal';
COMMENT ON COLUMN public.webhook_chain_scan.after_contact IS 'not personal';

ALTER TABLE public.webhook_delivery ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.webhook_delivery_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.webhook_queue (
    account_id bigint NOT NULL,
    webhook_id uuid NOT NULL,
    next_due_at timestamp with time zone,
    deleted_through bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.webhook_queue.account_id IS 'not personal';
COMMENT ON COLUMN public.webhook_queue.webhook_id IS 'not personal';
COMMENT ON COLUMN public.webhook_queue.next_due_at IS 'not personal';
COMMENT ON COLUMN public.webhook_queue.deleted_through IS 'not personal';

CREATE VIEW public.workflow_number WITH (security_invoker='true') AS
 SELECT node_count.account_id,
    node_count.workflow_id,
    node_count.node,
    node_count.counter,
    node_count.people,
    node_count.amount
   FROM public.node_count
UNION ALL
 SELECT count_delta.account_id,
    count_delta.workflow_id,
    count_delta.node,
    count_delta.counter,
    count_delta.delta AS people,
    count_delta.amount
   FROM public.count_delta
  WHERE (count_delta.number > ( SELECT count_merge.through
           FROM public.count_merge));

COMMENT ON COLUMN public.workflow_number.account_id IS 'not personal';
COMMENT ON COLUMN public.workflow_number.workflow_id IS 'not personal';
COMMENT ON COLUMN public.workflow_number.node IS 'not personal';
COMMENT ON COLUMN public.workflow_number.counter IS 'not personal';
COMMENT ON COLUMN public.workflow_number.people IS 'not personal';
COMMENT ON COLUMN public.workflow_number.amount IS 'not personal';

CREATE TABLE public.workflow_schedule (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    zone text NOT NULL COLLATE pg_catalog."C",
    version integer NOT NULL,
    next_at timestamp with time zone NOT NULL,
    baseline boolean NOT NULL,
    walked_to uuid
);

COMMENT ON COLUMN public.workflow_schedule.account_id IS 'not personal';
COMMENT ON COLUMN public.workflow_schedule.workflow_id IS 'not personal';
COMMENT ON COLUMN public.workflow_schedule.zone IS 'not personal';
COMMENT ON COLUMN public.workflow_schedule.version IS 'not personal';
COMMENT ON COLUMN public.workflow_schedule.next_at IS 'not personal';
COMMENT ON COLUMN public.workflow_schedule.baseline IS 'not personal';
COMMENT ON COLUMN public.workflow_schedule.walked_to IS 'not personal';

CREATE TABLE public.workflow_version (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    definition json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT workflow_version_version_check CHECK ((version > 0))
);

COMMENT ON COLUMN public.workflow_version.account_id IS 'not personal';
COMMENT ON COLUMN public.workflow_version.workflow_id IS 'not personal';
COMMENT ON COLUMN public.workflow_version.version IS 'not personal';
COMMENT ON COLUMN public.workflow_version.definition IS 'not personal';
COMMENT ON COLUMN public.workflow_version.created_at IS 'not personal';
COMMENT ON COLUMN public.workflow_version.published_at IS 'not personal';

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_0 FOR VALUES WITH (modulus 8, remainder 0);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_1 FOR VALUES WITH (modulus 8, remainder 1);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_2 FOR VALUES WITH (modulus 8, remainder 2);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_3 FOR VALUES WITH (modulus 8, remainder 3);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_4 FOR VALUES WITH (modulus 8, remainder 4);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_5 FOR VALUES WITH (modulus 8, remainder 5);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_6 FOR VALUES WITH (modulus 8, remainder 6);
ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_7 FOR VALUES WITH (modulus 8, remainder 7);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_0 FOR VALUES WITH (modulus 8, remainder 0);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_1 FOR VALUES WITH (modulus 8, remainder 1);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_2 FOR VALUES WITH (modulus 8, remainder 2);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_3 FOR VALUES WITH (modulus 8, remainder 3);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_4 FOR VALUES WITH (modulus 8, remainder 4);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_5 FOR VALUES WITH (modulus 8, remainder 5);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_6 FOR VALUES WITH (modulus 8, remainder 6);
ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_7 FOR VALUES WITH (modulus 8, remainder 7);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (account_id, key_id);

ALTER TABLE ONLY public.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (account_id, audit_id);

ALTER TABLE ONLY public.bucket_use
    ADD CONSTRAINT bucket_use_pkey PRIMARY KEY (account_id, bucket, process);

ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_0
    ADD CONSTRAINT claim_0_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_1
    ADD CONSTRAINT claim_1_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_2
    ADD CONSTRAINT claim_2_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_3
    ADD CONSTRAINT claim_3_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_4
    ADD CONSTRAINT claim_4_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_5
    ADD CONSTRAINT claim_5_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_6
    ADD CONSTRAINT claim_6_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_7
    ADD CONSTRAINT claim_7_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_pkey PRIMARY KEY (account_id, contact_id, at, channel, status);

ALTER TABLE ONLY public.contact_facet
    ADD CONSTRAINT contact_facet_pkey PRIMARY KEY (account_id, facet, value, contact_id);

ALTER TABLE ONLY public.contact_field_counter
    ADD CONSTRAINT contact_field_counter_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.contact_field
    ADD CONSTRAINT contact_field_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.contact
    ADD CONSTRAINT contact_pkey PRIMARY KEY (account_id, contact_id);

ALTER TABLE ONLY public.count_delta
    ADD CONSTRAINT count_delta_pkey PRIMARY KEY (account_id, workflow_id, number);

ALTER TABLE ONLY public.count_merge
    ADD CONSTRAINT count_merge_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.coupon_claim
    ADD CONSTRAINT coupon_claim_pkey PRIMARY KEY (account_id, claim_id);

ALTER TABLE ONLY public.coupon
    ADD CONSTRAINT coupon_pkey PRIMARY KEY (account_id, code_key);

ALTER TABLE ONLY public.coupon_redemption
    ADD CONSTRAINT coupon_redemption_pkey PRIMARY KEY (account_id, purchase_id, code_key);

ALTER TABLE ONLY public.coupon_set
    ADD CONSTRAINT coupon_set_pkey PRIMARY KEY (account_id, coupon_set_id);

ALTER TABLE ONLY public.coupon_slot
    ADD CONSTRAINT coupon_slot_pkey PRIMARY KEY (account_id, coupon_set_id, slot);

ALTER TABLE ONLY public.dropped_contact_field
    ADD CONSTRAINT dropped_contact_field_pkey PRIMARY KEY (account_id, number);

ALTER TABLE ONLY public.dropped_coupon_set
    ADD CONSTRAINT dropped_coupon_set_pkey PRIMARY KEY (account_id, coupon_set_id);

ALTER TABLE ONLY public.dropped_webhook
    ADD CONSTRAINT dropped_webhook_pkey PRIMARY KEY (account_id, webhook_id);

ALTER TABLE ONLY public.engine_interest
    ADD CONSTRAINT engine_interest_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.enrolment
    ADD CONSTRAINT enrolment_pkey PRIMARY KEY (account_id, contact_id, workflow_id, key);

ALTER TABLE ONLY public.erased_contact
    ADD CONSTRAINT erased_contact_pkey PRIMARY KEY (account_id, contact_id);

ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT erasure_pkey PRIMARY KEY (account_id, identifier_hash);

ALTER TABLE ONLY public.event_claim
    ADD CONSTRAINT event_claim_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_0
    ADD CONSTRAINT event_claim_0_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_1
    ADD CONSTRAINT event_claim_1_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_2
    ADD CONSTRAINT event_claim_2_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_3
    ADD CONSTRAINT event_claim_3_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_4
    ADD CONSTRAINT event_claim_4_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_5
    ADD CONSTRAINT event_claim_5_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_6
    ADD CONSTRAINT event_claim_6_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_7
    ADD CONSTRAINT event_claim_7_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (account_id, received_at, id);

ALTER TABLE ONLY public.event_type_counter
    ADD CONSTRAINT event_type_counter_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.event_type
    ADD CONSTRAINT event_type_pkey PRIMARY KEY (account_id, event_type_id);

ALTER TABLE ONLY public.heartbeat
    ADD CONSTRAINT heartbeat_pkey PRIMARY KEY (at, process);

ALTER TABLE ONLY public.import_failure
    ADD CONSTRAINT import_failure_pkey PRIMARY KEY (account_id, job_id, "row");

ALTER TABLE ONLY public.intake_position
    ADD CONSTRAINT intake_position_pkey PRIMARY KEY (topic, partition);

ALTER TABLE ONLY public.intake_process
    ADD CONSTRAINT intake_process_pkey PRIMARY KEY (process);

ALTER TABLE ONLY public.intake_sender
    ADD CONSTRAINT intake_sender_pkey PRIMARY KEY (topic, partition, sender);

ALTER TABLE ONLY public.intake_signing
    ADD CONSTRAINT intake_signing_pkey PRIMARY KEY (topic, partition);

ALTER TABLE ONLY public.integration
    ADD CONSTRAINT integration_pkey PRIMARY KEY (account_id, integration_id);

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (account_id, job_id);

ALTER TABLE ONLY public.key_use
    ADD CONSTRAINT key_use_pkey PRIMARY KEY (account_id, key_id);

ALTER TABLE ONLY public.lane_owner
    ADD CONSTRAINT lane_owner_pkey PRIMARY KEY (reader, lane_group);

ALTER TABLE ONLY public.lane_position
    ADD CONSTRAINT lane_position_pkey PRIMARY KEY (reader, number);

ALTER TABLE ONLY public.log_epoch
    ADD CONSTRAINT log_epoch_pkey PRIMARY KEY (epoch);

ALTER TABLE ONLY public.log_parked
    ADD CONSTRAINT log_parked_pkey PRIMARY KEY (account_id, reader, event_id);

ALTER TABLE ONLY public.log_tick
    ADD CONSTRAINT log_tick_pkey PRIMARY KEY (tick);

ALTER TABLE ONLY public.log_ticker
    ADD CONSTRAINT log_ticker_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.merged_contact
    ADD CONSTRAINT merged_contact_pkey PRIMARY KEY (account_id, contact_id);

ALTER TABLE ONLY public.message
    ADD CONSTRAINT message_pkey PRIMARY KEY (account_id, message_id);

ALTER TABLE ONLY public.node_count
    ADD CONSTRAINT node_count_pkey PRIMARY KEY (account_id, workflow_id, node, counter);

ALTER TABLE ONLY public.running_process
    ADD CONSTRAINT process_pkey PRIMARY KEY (process);

ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (account_id, product_id);

ALTER TABLE ONLY public.purchase_attribution
    ADD CONSTRAINT purchase_attribution_pkey PRIMARY KEY (account_id, store_id);

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_pkey PRIMARY KEY (account_id, purchase_id);

ALTER TABLE ONLY public.rejected_event
    ADD CONSTRAINT rejected_event_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.run_history
    ADD CONSTRAINT run_history_pkey PRIMARY KEY (account_id, contact_id, run_id, ended_at);

ALTER TABLE ONLY public.run
    ADD CONSTRAINT run_pkey PRIMARY KEY (account_id, contact_id, run_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.store_usage
    ADD CONSTRAINT store_usage_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.stored_file
    ADD CONSTRAINT stored_file_pkey PRIMARY KEY (account_id, name);

ALTER TABLE ONLY public.subject_wait
    ADD CONSTRAINT subject_wait_pkey PRIMARY KEY (account_id, subject, since, run_id);

ALTER TABLE ONLY public.suppression
    ADD CONSTRAINT suppression_pkey PRIMARY KEY (account_id, channel, address_hash);

ALTER TABLE ONLY public.template
    ADD CONSTRAINT template_pkey PRIMARY KEY (account_id, template_id);

ALTER TABLE ONLY public.template_version
    ADD CONSTRAINT template_version_pkey PRIMARY KEY (account_id, template_id, version);

ALTER TABLE ONLY public.timer
    ADD CONSTRAINT timer_pkey PRIMARY KEY (lane_group, due_at, owner_id);

ALTER TABLE ONLY public.usage_position
    ADD CONSTRAINT usage_position_pkey PRIMARY KEY (one);

ALTER TABLE ONLY public.webhook_chain
    ADD CONSTRAINT webhook_chain_pkey PRIMARY KEY (account_id, webhook_id, lane, contact_id);

ALTER TABLE ONLY public.webhook_chain_scan
    ADD CONSTRAINT webhook_chain_scan_pkey PRIMARY KEY (only_row);

ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (account_id, webhook_id, id);

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (account_id, webhook_id);

ALTER TABLE ONLY public.webhook_queue
    ADD CONSTRAINT webhook_queue_pkey PRIMARY KEY (account_id, webhook_id);

ALTER TABLE ONLY public.workflow
    ADD CONSTRAINT workflow_pkey PRIMARY KEY (account_id, workflow_id);

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_pkey PRIMARY KEY (account_id, workflow_id, version, number);

ALTER TABLE ONLY public.workflow_schedule
    ADD CONSTRAINT workflow_schedule_pkey PRIMARY KEY (account_id, workflow_id, zone);

ALTER TABLE ONLY public.workflow_version
    ADD CONSTRAINT workflow_version_pkey PRIMARY KEY (account_id, workflow_id, version);

CREATE INDEX account_deletion ON public.account USING btree (deletion_step_at) WHERE (deletion_step_at IS NOT NULL);
CREATE INDEX account_live ON public.account USING btree (live_account_id) WHERE (live_account_id IS NOT NULL);
CREATE UNIQUE INDEX api_key_hash ON public.api_key USING btree (hash);
CREATE INDEX audit_at ON public.audit USING btree (at);
CREATE INDEX claim_0_made_at ON public.claim_0 USING btree (made_at);
CREATE INDEX claim_1_made_at ON public.claim_1 USING btree (made_at);
CREATE INDEX claim_2_made_at ON public.claim_2 USING btree (made_at);
CREATE INDEX claim_3_made_at ON public.claim_3 USING btree (made_at);
CREATE INDEX claim_4_made_at ON public.claim_4 USING btree (made_at);
CREATE INDEX claim_5_made_at ON public.claim_5 USING btree (made_at);
CREATE INDEX claim_6_made_at ON public.claim_6 USING btree (made_at);
CREATE INDEX claim_7_made_at ON public.claim_7 USING btree (made_at);
CREATE UNIQUE INDEX contact_email ON public.contact USING btree (account_id, email_key) WHERE (email_key IS NOT NULL);
CREATE UNIQUE INDEX contact_external_id ON public.contact USING btree (account_id, external_id) WHERE (external_id IS NOT NULL);
CREATE INDEX contact_facet_contact ON public.contact_facet USING btree (account_id, contact_id);
CREATE UNIQUE INDEX contact_field_number ON public.contact_field USING btree (account_id, number);
CREATE INDEX contact_name ON public.contact USING btree (account_id, name_key) WHERE (name_key IS NOT NULL);
CREATE INDEX contact_surname ON public.contact USING btree (account_id, surname_key) WHERE (surname_key IS NOT NULL);
CREATE INDEX contact_updated ON public.contact USING btree (account_id, updated_at);
CREATE INDEX contact_zone ON public.contact USING btree (account_id, time_zone, contact_id);
CREATE INDEX count_delta_number ON public.count_delta USING btree (number);
CREATE INDEX coupon_available ON public.coupon USING btree (account_id, coupon_set_id, number) WHERE ((claim_id IS NULL) AND (NOT redeemed) AND (NOT shared));
CREATE INDEX coupon_claim_contact ON public.coupon_claim USING btree (account_id, contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX coupon_claim_set ON public.coupon_claim USING btree (account_id, coupon_set_id);
CREATE UNIQUE INDEX coupon_claimed ON public.coupon USING btree (account_id, claim_id) WHERE (claim_id IS NOT NULL);
CREATE INDEX coupon_of_set ON public.coupon USING btree (account_id, coupon_set_id, number);
CREATE INDEX coupon_redemption_code ON public.coupon_redemption USING btree (account_id, code_key);
CREATE INDEX coupon_redemption_contact ON public.coupon_redemption USING btree (account_id, contact_id) WHERE (contact_id IS NOT NULL);
CREATE INDEX coupon_redemption_set ON public.coupon_redemption USING btree (account_id, coupon_set_id);
CREATE UNIQUE INDEX coupon_set_alias ON public.coupon_set USING btree (account_id, alias);
CREATE INDEX coupon_set_watched ON public.coupon_set USING btree (account_id, coupon_set_id) WHERE ((low_watermark IS NOT NULL) AND (NOT is_low));
CREATE INDEX erased_contact_due ON public.erased_contact USING btree (due_at);
CREATE INDEX erasure_age ON public.erasure USING btree (erased_at);
CREATE INDEX event_claim_0_made_at ON public.event_claim_0 USING btree (made_at);
CREATE INDEX event_claim_1_made_at ON public.event_claim_1 USING btree (made_at);
CREATE INDEX event_claim_2_made_at ON public.event_claim_2 USING btree (made_at);
CREATE INDEX event_claim_3_made_at ON public.event_claim_3 USING btree (made_at);
CREATE INDEX event_claim_4_made_at ON public.event_claim_4 USING btree (made_at);
CREATE INDEX event_claim_5_made_at ON public.event_claim_5 USING btree (made_at);
CREATE INDEX event_claim_6_made_at ON public.event_claim_6 USING btree (made_at);
CREATE INDEX event_claim_7_made_at ON public.event_claim_7 USING btree (made_at);
CREATE INDEX event_contact ON ONLY public.event USING btree (account_id, contact_id, received_at, id, kind);
CREATE INDEX event_growth ON ONLY public.event USING btree (account_id, received_at) WHERE (kind = ANY (ARRAY['contact.created'::text, 'contact.merged'::text, 'contact.deleted'::text, 'contact.subscribed'::text, 'contact.unsubscribed'::text]));
CREATE INDEX event_id ON ONLY public.event USING btree (id);
CREATE INDEX event_occurred ON ONLY public.event USING brin (occurred_at timestamptz_minmax_multi_ops) WITH (pages_per_range='64');
CREATE UNIQUE INDEX event_type_alias ON public.event_type USING btree (account_id, alias) WHERE (alias IS NOT NULL);
CREATE INDEX event_type_integration ON public.event_type USING btree (account_id, integration_id, event_type_id);
CREATE INDEX event_xid_id ON ONLY public.event USING btree (xid, id);
CREATE UNIQUE INDEX integration_name ON public.integration USING btree (account_id, name);
CREATE INDEX job_ended ON public.job USING btree (finished_at) WHERE (finished_at IS NOT NULL);
CREATE INDEX job_unfinished ON public.job USING btree (queued_at, job_id) WHERE (state = ANY (ARRAY['queued'::text, 'inProgress'::text]));
CREATE INDEX log_tick_shown ON public.log_tick USING btree (epoch, pg_snapshot_xmax(shows), tick);
CREATE INDEX log_tick_size ON public.log_tick USING btree (epoch, last_id, tick);
CREATE INDEX merged_contact_into ON public.merged_contact USING btree (account_id, into_id);
CREATE INDEX message_contact ON ONLY public.message USING btree (account_id, contact_id, message_id);
CREATE INDEX message_due ON ONLY public.message USING btree (due_at, account_id, message_id) WHERE (ended_at IS NULL);
CREATE INDEX message_workflow ON ONLY public.message USING btree (account_id, workflow_id, message_id);
CREATE INDEX product_name ON public.product USING btree (account_id, name_key, product_id) WHERE (name_key IS NOT NULL);
CREATE UNIQUE INDEX product_store_id ON public.product USING btree (account_id, store_id);
CREATE INDEX product_updated ON public.product USING btree (account_id, updated_at);
CREATE INDEX purchase_attribution_changed ON public.purchase_attribution USING btree (account_id, xid);
CREATE INDEX purchase_contact ON public.purchase USING btree (account_id, contact_id, purchased_at, purchase_id);
CREATE INDEX purchase_moved ON public.purchase USING btree (account_id, moved_xid) WHERE (moved_xid IS NOT NULL);
CREATE INDEX purchase_status ON public.purchase USING btree (account_id, status, purchased_at, purchase_id);
CREATE UNIQUE INDEX purchase_store_id ON public.purchase USING btree (account_id, store_id);
CREATE INDEX purchase_time ON public.purchase USING btree (account_id, purchased_at, purchase_id);
CREATE INDEX rejected_event_identifiers ON public.rejected_event USING gin (identifiers);
CREATE INDEX rejected_event_rejected_at ON public.rejected_event USING btree (rejected_at);
CREATE INDEX run_history_workflow ON ONLY public.run_history USING btree (account_id, workflow_id, run_id);
CREATE INDEX run_trigger ON public.run USING btree (trigger_at) WHERE (trigger_data IS NULL);
CREATE INDEX run_workflow ON public.run USING btree (account_id, workflow_id, run_id);
CREATE INDEX stored_file_due ON public.stored_file USING btree (remove_at);
CREATE INDEX stored_file_job ON public.stored_file USING btree (account_id, job_id);
CREATE UNIQUE INDEX template_alias ON public.template USING btree (account_id, alias);
CREATE INDEX webhook_delivery_due ON public.webhook_delivery USING btree (account_id, webhook_id, due_at) WHERE (state = 'due'::text);
CREATE UNIQUE INDEX webhook_delivery_event ON public.webhook_delivery USING btree (event_uid, webhook_id);
CREATE INDEX webhook_delivery_failed ON public.webhook_delivery USING btree (account_id, webhook_id, id) WHERE (state = 'failed'::text);
CREATE INDEX webhook_delivery_held ON public.webhook_delivery USING btree (account_id, webhook_id, lane, contact_id, sequence) WHERE (state = 'held'::text);
CREATE INDEX webhook_queue_due ON public.webhook_queue USING btree (next_due_at);
CREATE INDEX webhook_refusing ON public.webhook USING btree (account_id, webhook_id) WHERE ((event_type IS NOT NULL) AND (state = 'disabled'::text));
CREATE INDEX webhook_replayed ON public.webhook USING btree (account_id, webhook_id) WHERE (replay_from IS NOT NULL);
CREATE UNIQUE INDEX workflow_alias ON public.workflow USING btree (account_id, alias);
CREATE INDEX workflow_reference_coupon_set ON public.workflow_reference USING btree (account_id, coupon_set_id) WHERE (coupon_set_id IS NOT NULL);
CREATE INDEX workflow_reference_event_type ON public.workflow_reference USING btree (account_id, event_type_id) WHERE (event_type_id IS NOT NULL);
CREATE INDEX workflow_reference_field ON public.workflow_reference USING btree (account_id, field_id) WHERE (field_id IS NOT NULL);
CREATE INDEX workflow_reference_template ON public.workflow_reference USING btree (account_id, template_id) WHERE (template_id IS NOT NULL);
CREATE INDEX workflow_schedule_due ON public.workflow_schedule USING btree (next_at);

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_0_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_1_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_2_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_3_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_4_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_5_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_6_pkey;
ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_7_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_0_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_1_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_2_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_3_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_4_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_5_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_6_pkey;
ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_7_pkey;

CREATE TRIGGER add_webhook_queue AFTER INSERT ON public.webhook FOR EACH ROW EXECUTE FUNCTION public.add_webhook_queue();
CREATE TRIGGER count_added_revenue AFTER INSERT ON public.purchase_attribution REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.count_revenue();
CREATE TRIGGER count_changed_revenue AFTER UPDATE ON public.purchase_attribution REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.count_revenue();
CREATE TRIGGER count_removed_revenue AFTER DELETE ON public.purchase_attribution REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION public.count_revenue();
CREATE TRIGGER drop_endpoint_of_type AFTER DELETE ON public.event_type FOR EACH ROW WHEN ((old.direction = 'send'::text)) EXECUTE FUNCTION public.drop_endpoint_of_type();
CREATE TRIGGER facets_go AFTER DELETE ON public.contact FOR EACH ROW EXECUTE FUNCTION public.drop_facets();
CREATE TRIGGER forget_rejected_events AFTER INSERT OR UPDATE ON public.erasure FOR EACH ROW EXECUTE FUNCTION public.forget_rejected_events();
CREATE TRIGGER keep_endpoint_of_type AFTER INSERT OR UPDATE ON public.event_type FOR EACH ROW WHEN ((new.direction = 'send'::text)) EXECUTE FUNCTION public.keep_endpoint_of_type();
CREATE TRIGGER note_new_deliveries AFTER INSERT ON public.webhook_delivery REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION public.note_new_deliveries();
CREATE TRIGGER purchase_moved BEFORE UPDATE OF contact_id ON public.purchase FOR EACH ROW WHEN ((old.contact_id IS DISTINCT FROM new.contact_id)) EXECUTE FUNCTION public.note_move();
CREATE TRIGGER tell_delivery_deleted AFTER DELETE ON public.webhook_delivery FOR EACH ROW WHEN (((old.kind = 'send-webhook'::text) AND (old.ended_at IS NULL))) EXECUTE FUNCTION public.tell_delivery_ended();
CREATE TRIGGER tell_delivery_ended AFTER UPDATE OF state ON public.webhook_delivery FOR EACH ROW WHEN (((new.kind = 'send-webhook'::text) AND (new.ended_at IS NOT NULL) AND (old.ended_at IS NULL))) EXECUTE FUNCTION public.tell_delivery_ended();

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_live_account_id_fkey FOREIGN KEY (live_account_id) REFERENCES public.account(account_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.contact_field
    ADD CONSTRAINT contact_field_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.contact_field_counter
    ADD CONSTRAINT contact_field_counter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.coupon_claim
    ADD CONSTRAINT coupon_claim_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE SET NULL (contact_id);

ALTER TABLE ONLY public.coupon_redemption
    ADD CONSTRAINT coupon_redemption_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE SET NULL (contact_id);

ALTER TABLE ONLY public.coupon_set
    ADD CONSTRAINT coupon_set_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dropped_contact_field
    ADD CONSTRAINT dropped_contact_field_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dropped_coupon_set
    ADD CONSTRAINT dropped_coupon_set_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.engine_interest
    ADD CONSTRAINT engine_interest_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.erased_contact
    ADD CONSTRAINT erased_contact_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_type
    ADD CONSTRAINT event_type_account_id_integration_id_fkey FOREIGN KEY (account_id, integration_id) REFERENCES public.integration(account_id, integration_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_type_counter
    ADD CONSTRAINT event_type_counter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.intake_process
    ADD CONSTRAINT intake_process_process_fkey FOREIGN KEY (process) REFERENCES public.running_process(process) ON DELETE CASCADE;

ALTER TABLE ONLY public.intake_sender
    ADD CONSTRAINT intake_sender_topic_partition_fkey FOREIGN KEY (topic, partition) REFERENCES public.intake_position(topic, partition) ON DELETE CASCADE;

ALTER TABLE ONLY public.intake_signing
    ADD CONSTRAINT intake_signing_topic_partition_fkey FOREIGN KEY (topic, partition) REFERENCES public.intake_position(topic, partition) ON DELETE CASCADE;

ALTER TABLE ONLY public.integration
    ADD CONSTRAINT integration_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.key_use
    ADD CONSTRAINT key_use_account_id_key_id_fkey FOREIGN KEY (account_id, key_id) REFERENCES public.api_key(account_id, key_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.log_tick
    ADD CONSTRAINT log_tick_epoch_fkey FOREIGN KEY (epoch) REFERENCES public.log_epoch(epoch);

ALTER TABLE ONLY public.merged_contact
    ADD CONSTRAINT merged_contact_account_id_into_id_fkey FOREIGN KEY (account_id, into_id) REFERENCES public.contact(account_id, contact_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE SET NULL (contact_id);

ALTER TABLE ONLY public.rejected_event
    ADD CONSTRAINT rejected_event_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.store_usage
    ADD CONSTRAINT store_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.template
    ADD CONSTRAINT template_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.template_version
    ADD CONSTRAINT template_version_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES public.template(account_id, template_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.webhook_queue
    ADD CONSTRAINT webhook_queue_account_id_webhook_id_fkey FOREIGN KEY (account_id, webhook_id) REFERENCES public.webhook(account_id, webhook_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workflow
    ADD CONSTRAINT workflow_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_coupon_set_id_fkey FOREIGN KEY (account_id, coupon_set_id) REFERENCES public.coupon_set(account_id, coupon_set_id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_event_type_id_fkey FOREIGN KEY (account_id, event_type_id) REFERENCES public.event_type(account_id, event_type_id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_field_id_fkey FOREIGN KEY (account_id, field_id) REFERENCES public.contact_field(account_id, id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES public.template(account_id, template_id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_workflow_id_version_fkey FOREIGN KEY (account_id, workflow_id, version) REFERENCES public.workflow_version(account_id, workflow_id, version) ON DELETE CASCADE;

ALTER TABLE ONLY public.workflow_version
    ADD CONSTRAINT workflow_version_account_id_workflow_id_fkey FOREIGN KEY (account_id, workflow_id) REFERENCES public.workflow(account_id, workflow_id) ON DELETE CASCADE;

ALTER TABLE public.account ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.audit ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.bucket_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_0 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_1 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_2 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_3 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_4 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_5 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_6 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.claim_7 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.consent ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.contact ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.contact_facet ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.contact_field ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.contact_field_counter ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.count_delta ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.coupon ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.coupon_claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.coupon_redemption ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.coupon_set ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.coupon_slot ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.dropped_contact_field ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.dropped_coupon_set ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.dropped_webhook ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.engine_interest ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.enrolment ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.erased_contact ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.erasure ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_0 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_1 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_2 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_3 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_4 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_5 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_6 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_claim_7 ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_type ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.event_type_counter ENABLE ROW LEVEL SECURITY;

CREATE POLICY every_account ON public.account TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.api_key TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.audit TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.bucket_use TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.consent TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.contact FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.contact_facet TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.contact_field TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.contact_field_counter TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.count_delta TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.coupon FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.coupon_claim FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.coupon_redemption FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.dropped_contact_field TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.dropped_webhook TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.engine_interest TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.enrolment TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.erasure TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.event TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.event_type FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.import_failure TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.job TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.key_use TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.log_parked TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.merged_contact FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.message TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.node_count TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.product FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.purchase FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.purchase_attribution TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.run TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.run_history TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.store_usage TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.stored_file TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.subject_wait TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.suppression TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.timer TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.webhook TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.webhook_chain TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.webhook_delivery TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.webhook_queue TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.workflow FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.workflow_schedule TO shopbell_worker USING (true);
CREATE POLICY every_account ON public.workflow_version FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account_changes ON public.contact FOR UPDATE TO shopbell_worker USING (true);

ALTER TABLE public.import_failure ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.integration ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.job ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.key_use ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.log_parked ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.merged_contact ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.message ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.node_count ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_account ON public.account TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.api_key TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.audit TO shopbell_api USING (((account_id = public.current_account()) AND (account_id <> 0)));
CREATE POLICY own_account ON public.claim TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.consent TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.contact TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.contact_facet TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.contact_field TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.contact_field_counter TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.count_delta TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.coupon TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.coupon_claim TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.coupon_redemption TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.coupon_set TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.coupon_slot TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.dropped_contact_field TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.dropped_coupon_set TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.dropped_webhook TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.engine_interest TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.enrolment TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.erased_contact TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.erasure TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.event TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.event_claim TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.event_type TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.event_type_counter TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.import_failure TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.integration TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.job TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.key_use TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.merged_contact TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.message TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.node_count TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.product TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.purchase TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.purchase_attribution TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.rejected_event TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.run TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.run_history TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.store_usage TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.stored_file TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.subject_wait TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.suppression TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.template TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.template_version TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.timer TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.webhook TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.webhook_chain TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.webhook_delivery TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.webhook_queue TO shopbell_api USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.workflow TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.workflow_reference TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.workflow_schedule TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));
CREATE POLICY own_account ON public.workflow_version TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

ALTER TABLE public.product ENABLE ROW LEVEL SECURITY;

CREATE POLICY published_once ON public.template_version AS RESTRICTIVE FOR UPDATE TO shopbell_api USING ((published_at IS NULL)) WITH CHECK ((published_at IS NOT NULL));
CREATE POLICY published_once ON public.workflow_version AS RESTRICTIVE FOR UPDATE TO shopbell_api USING ((published_at IS NULL)) WITH CHECK ((published_at IS NOT NULL));
CREATE POLICY published_stays ON public.template_version AS RESTRICTIVE FOR DELETE TO shopbell_api USING ((published_at IS NULL));
CREATE POLICY published_stays ON public.workflow_version AS RESTRICTIVE FOR DELETE TO shopbell_api USING ((published_at IS NULL));

ALTER TABLE public.purchase ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.purchase_attribution ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.rejected_event ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.run ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.run_history ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.store_usage ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.stored_file ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.subject_wait ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.suppression ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.template ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.template_version ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.timer ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.webhook ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.webhook_chain ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.webhook_delivery ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.webhook_queue ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.workflow ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.workflow_reference ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.workflow_schedule ENABLE ROW LEVEL SECURITY;
ALTER TABLE public.workflow_version ENABLE ROW LEVEL SECURITY;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO shopbell_api;
GRANT USAGE ON SCHEMA public TO shopbell_worker;
GRANT USAGE ON SCHEMA public TO shopbell_reader;

REVOKE ALL ON FUNCTION public.account_tables() FROM PUBLIC;

GRANT SELECT,INSERT,DELETE ON TABLE public.webhook TO shopbell_api;
GRANT SELECT ON TABLE public.webhook TO shopbell_worker;

GRANT SELECT(account_id) ON TABLE public.webhook TO shopbell_reader;
GRANT SELECT(webhook_id) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(url) ON TABLE public.webhook TO shopbell_api;
GRANT SELECT(url) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(description) ON TABLE public.webhook TO shopbell_api;
GRANT SELECT(description) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(kinds) ON TABLE public.webhook TO shopbell_api;
GRANT SELECT(kinds) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(headers) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(signing_secret) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(previous_signing_secret) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(previous_valid_until) ON TABLE public.webhook TO shopbell_api;

GRANT UPDATE(state) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(state) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(state) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(reason) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(reason) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(reason) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(failing_since) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(failing_since) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(failing_since) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(rests_until) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(rests_until) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(rests_until) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(enabled_at) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(enabled_at) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(enabled_at) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(replay_from) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(replay_from) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(replay_from) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(replay_to) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(replay_to) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(replay_to) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(replay_at) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(replay_at) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(replay_at) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(replay_after) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(replay_after) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(replay_after) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(version) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(version) ON TABLE public.webhook TO shopbell_reader;

GRANT SELECT(created_at) ON TABLE public.webhook TO shopbell_reader;

GRANT UPDATE(updated_at) ON TABLE public.webhook TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.webhook TO shopbell_worker;
GRANT SELECT(updated_at) ON TABLE public.webhook TO shopbell_reader;

REVOKE ALL ON FUNCTION public.accounts_of_reader(of_reader text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.accounts_of_reader(of_reader text) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.add_webhook_queue() FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_webhook_queue() TO shopbell_worker;

REVOKE ALL ON FUNCTION public.advance(me uuid, name text, groups smallint[], generations bigint[], from_ticks bigint[], from_throughs bigint[], from_ids bigint[], to_tick bigint, to_through bigint, to_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance(me uuid, name text, groups smallint[], generations bigint[], from_ticks bigint[], from_throughs bigint[], from_ids bigint[], to_tick bigint, to_through bigint, to_id bigint) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.advance_intake(me uuid, of_topic text, partitions smallint[], generations bigint[], from_offsets bigint[], to_offsets bigint[], sent_to smallint[], senders uuid[], numbers bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance_intake(me uuid, of_topic text, partitions smallint[], generations bigint[], from_offsets bigint[], to_offsets bigint[], sent_to smallint[], senders uuid[], numbers bigint[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.advance_next_due(accounts bigint[], webhooks uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance_next_due(accounts bigint[], webhooks uuid[]) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.advance_usage(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.advance_usage(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.analyze_grown() FROM PUBLIC;
GRANT ALL ON FUNCTION public.analyze_grown() TO shopbell_worker;

GRANT SELECT ON TABLE public.account TO shopbell_api;
GRANT SELECT ON TABLE public.account TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(state) ON TABLE public.account TO shopbell_worker;
GRANT UPDATE(name) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(url) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(time_zone) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(currency) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(locale) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(country) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(domains) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(marketing_requires) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(marketing_per_day) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(marketing_per_week) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(updated_at) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(requests_per_second) ON TABLE public.account TO shopbell_worker;
GRANT UPDATE(request_burst) ON TABLE public.account TO shopbell_worker;
GRANT UPDATE(delete_at) ON TABLE public.account TO shopbell_worker;
GRANT UPDATE(state_on_restore) ON TABLE public.account TO shopbell_worker;
GRANT UPDATE(deletion_step_at) ON TABLE public.account TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.event TO shopbell_api;
GRANT SELECT,INSERT ON TABLE public.event TO shopbell_worker;
GRANT SELECT ON TABLE public.event TO shopbell_reader;

GRANT UPDATE(payload) ON TABLE public.event TO shopbell_api;

REVOKE ALL ON FUNCTION public.append_delivery_ended(of_account bigint, of_lane smallint, of_contact uuid, delivery uuid, after_hops smallint, delivered boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.append_delivery_ended(of_account bigint, of_lane smallint, of_contact uuid, delivery uuid, after_hops smallint, delivered boolean) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.beat(me uuid, running text, lease interval, readers text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.beat(me uuid, running text, lease interval, readers text[]) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.beat(me uuid, running text, lease interval, readers text[], keys integer[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.beat(me uuid, running text, lease interval, readers text[], keys integer[]) TO shopbell_worker;

GRANT SELECT ON TABLE public.log_ticker TO shopbell_worker;

REVOKE ALL ON FUNCTION public.begin_log_epoch() FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_log_epoch() TO shopbell_worker;

REVOKE ALL ON FUNCTION public.claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid, OUT outcome text, OUT code text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid, OUT outcome text, OUT code text) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.claim_coupon_for_run(of_account bigint, set_name text, for_contact uuid, claim uuid, run uuid, of_workflow uuid, at_node text, reuse boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_coupon_for_run(of_account bigint, set_name text, for_contact uuid, claim uuid, run uuid, of_workflow uuid, at_node text, reuse boolean) TO shopbell_worker;

GRANT SELECT ON TABLE public.contact_facet TO shopbell_reader;
GRANT SELECT,INSERT,DELETE ON TABLE public.contact_facet TO shopbell_api;
GRANT SELECT,INSERT,DELETE ON TABLE public.contact_facet TO shopbell_worker;

GRANT SELECT ON TABLE public.run TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run TO shopbell_worker;
GRANT SELECT ON TABLE public.run TO shopbell_reader;

REVOKE ALL ON FUNCTION public.copy_run_triggers(most integer, age interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.copy_run_triggers(most integer, age interval) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.coupon_slot TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_slot TO shopbell_reader;

GRANT UPDATE(total) ON TABLE public.coupon_slot TO shopbell_api;
GRANT UPDATE(available) ON TABLE public.coupon_slot TO shopbell_api;
GRANT UPDATE(assigned) ON TABLE public.coupon_slot TO shopbell_api;
GRANT UPDATE(redeemed) ON TABLE public.coupon_slot TO shopbell_api;

REVOKE ALL ON FUNCTION public.count_revenue() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.count_usage(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_usage(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.delete_account_rows(most integer, settles interval, upload_lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_account_rows(most integer, settles interval, upload_lease interval) TO shopbell_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.claim TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_expired_claims(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_expired_claims(most integer) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.event_claim TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_expired_event_claims(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_expired_event_claims(most integer) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.audit TO shopbell_api;
GRANT SELECT,INSERT ON TABLE public.audit TO shopbell_worker;

REVOKE ALL ON FUNCTION public.delete_old_audit(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_audit(most integer) TO shopbell_worker;

GRANT SELECT ON TABLE public.erasure TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.erasure TO shopbell_api;
GRANT SELECT ON TABLE public.erasure TO shopbell_worker;

GRANT UPDATE(erased_at) ON TABLE public.erasure TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_old_erasures(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_erasures(most integer) TO shopbell_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.rejected_event TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_old_rejected_events(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_rejected_events(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.drop_endpoint_of_type() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.drop_facets() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.drop_log_reader(name text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.drop_log_reader(name text) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.webhook_delivery TO shopbell_api;
GRANT SELECT ON TABLE public.webhook_delivery TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(state) ON TABLE public.webhook_delivery TO shopbell_api;
GRANT UPDATE(state) ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(due_at) ON TABLE public.webhook_delivery TO shopbell_api;
GRANT UPDATE(due_at) ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(sender) ON TABLE public.webhook_delivery TO shopbell_api;
GRANT UPDATE(sender) ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(attempts) ON TABLE public.webhook_delivery TO shopbell_api;
GRANT UPDATE(attempts) ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(failing_since) ON TABLE public.webhook_delivery TO shopbell_api;
GRANT UPDATE(failing_since) ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(ended_at) ON TABLE public.webhook_delivery TO shopbell_api;
GRANT UPDATE(ended_at) ON TABLE public.webhook_delivery TO shopbell_worker;

GRANT UPDATE(status) ON TABLE public.webhook_delivery TO shopbell_worker;
GRANT UPDATE(trouble) ON TABLE public.webhook_delivery TO shopbell_worker;

REVOKE ALL ON FUNCTION public.endpoints_with_due() FROM PUBLIC;
GRANT ALL ON FUNCTION public.endpoints_with_due() TO shopbell_worker;

REVOKE ALL ON FUNCTION public.enter_log_epoch() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.fence_lanes(me uuid, name text, groups smallint[], generations bigint[], from_ticks bigint[], from_throughs bigint[], from_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.fence_lanes(me uuid, name text, groups smallint[], generations bigint[], from_ticks bigint[], from_throughs bigint[], from_ids bigint[]) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.api_key TO shopbell_worker;
GRANT INSERT ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(account_id) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(key_id) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(name),UPDATE(name) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(hint) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(scopes),UPDATE(scopes) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(created_at) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE public.api_key TO shopbell_api;
GRANT UPDATE(revoked_at) ON TABLE public.api_key TO shopbell_worker;

GRANT SELECT(requests_per_second),UPDATE(requests_per_second) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(request_burst),UPDATE(request_burst) ON TABLE public.api_key TO shopbell_api;
GRANT SELECT(allowed_addresses),UPDATE(allowed_addresses) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(version),UPDATE(version) ON TABLE public.api_key TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.api_key TO shopbell_worker;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.api_key TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.api_key TO shopbell_worker;

REVOKE ALL ON FUNCTION public.find_key(hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_key(hashes bytea[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.first_uuid_of(at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.first_uuid_of(at timestamp with time zone) TO shopbell_worker;
GRANT ALL ON FUNCTION public.first_uuid_of(at timestamp with time zone) TO shopbell_api;
GRANT ALL ON FUNCTION public.first_uuid_of(at timestamp with time zone) TO shopbell_reader;

REVOKE ALL ON FUNCTION public.forget_chains(kept interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_chains(kept interval, most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.forget_deliveries(kept interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_deliveries(kept interval, most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.forget_erased(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_erased(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.forget_log(kept interval, unused interval, most integer, INOUT from_tick bigint, INOUT from_number bigint, OUT dropped text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_log(kept interval, unused interval, most integer, INOUT from_tick bigint, INOUT from_number bigint, OUT dropped text[]) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.forget_passed_on(account bigint, contact uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_passed_on(account bigint, contact uuid) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.forget_rejected_events() FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_rejected_events() TO shopbell_worker;

REVOKE ALL ON FUNCTION public.forget_ticks(kept interval, most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_ticks(kept interval, most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.has_account_rows(of_account bigint) FROM PUBLIC;

GRANT SELECT ON TABLE public.timer TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.timer TO shopbell_worker;
GRANT SELECT ON TABLE public.timer TO shopbell_reader;

REVOKE ALL ON FUNCTION public.has_due_timers(since timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.hold_intake(me uuid, of_topic text, partitions integer, lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.hold_intake(me uuid, of_topic text, partitions integer, lease interval) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.hold_intake(me uuid, of_topic text, partitions integer, lease interval, newest_key integer, quiet interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.hold_intake(me uuid, of_topic text, partitions integer, lease interval, newest_key integer, quiet interval) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.keep_endpoint_of_type() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.keep_monthly_partitions(parent text, retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.keep_monthly_partitions(parent text, retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.lane_positions(of_reader text, wanted smallint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.lane_positions(of_reader text, wanted smallint[]) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.last_event_id() FROM PUBLIC;

REVOKE ALL ON FUNCTION public.leave(me uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leave(me uuid) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.leave_intake(me uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.leave_intake(me uuid) TO shopbell_worker;

GRANT SELECT ON TABLE public.heartbeat TO shopbell_worker;

REVOKE ALL ON FUNCTION public.living_processes(lease interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.living_processes(lease interval) TO shopbell_worker;

GRANT SELECT ON TABLE public.log_tick TO shopbell_worker;

REVOKE ALL ON FUNCTION public.log_has_news(last public.log_tick, from_id bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.log_since(made_at timestamp with time zone) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.make_tick(me uuid, held bigint, OUT tick bigint, OUT made boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.make_tick(me uuid, held bigint, OUT tick bigint, OUT made boolean) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.move_on(accounts bigint[], webhooks uuid[], lanes smallint[], contacts uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.move_on(accounts bigint[], webhooks uuid[], lanes smallint[], contacts uuid[]) TO shopbell_worker;
GRANT ALL ON FUNCTION public.move_on(accounts bigint[], webhooks uuid[], lanes smallint[], contacts uuid[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.note_due(accounts bigint[], webhooks uuid[], dues timestamp with time zone[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_due(accounts bigint[], webhooks uuid[], dues timestamp with time zone[]) TO shopbell_worker;
GRANT ALL ON FUNCTION public.note_due(accounts bigint[], webhooks uuid[], dues timestamp with time zone[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.note_new_deliveries() FROM PUBLIC;
GRANT ALL ON FUNCTION public.note_new_deliveries() TO shopbell_worker;

REVOKE ALL ON FUNCTION public.present_accounts(accounts bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.present_accounts(accounts bigint[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.purge_dropped_coupons(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.purge_dropped_coupons(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.purge_dropped_fields(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.purge_dropped_fields(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.purge_dropped_webhooks(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.purge_dropped_webhooks(most integer) TO shopbell_worker;

GRANT SELECT ON TABLE public.running_process TO shopbell_worker;

REVOKE ALL ON FUNCTION public.rehash_key(old_hash bytea, new_hash bytea, new_key integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.rehash_key(old_hash bytea, new_hash bytea, new_key integer) TO shopbell_api;

REVOKE ALL ON FUNCTION public.release_coupon(of_account bigint, claim uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.release_coupon(of_account bigint, claim uuid) TO shopbell_worker;

GRANT SELECT ON TABLE public.intake_signing TO shopbell_api;

REVOKE ALL ON FUNCTION public.require_signatures(of_topic text, of_partition smallint, from_offset bigint, quiet interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.require_signatures(of_topic text, of_partition smallint, from_offset bigint, quiet interval) TO shopbell_worker;

GRANT SELECT ON TABLE public.lane_position TO shopbell_worker;

REVOKE ALL ON FUNCTION public.save_position(name text, groups smallint[], to_tick bigint, to_through bigint, to_id bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION public.save_position(name text, groups smallint[], to_tick bigint, to_through bigint, to_id bigint) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.send_again(of_account bigint, of_webhook uuid, of_ids bigint[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.send_again(of_account bigint, of_webhook uuid, of_ids bigint[]) TO shopbell_worker;
GRANT ALL ON FUNCTION public.send_again(of_account bigint, of_webhook uuid, of_ids bigint[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.settle_deliveries(accounts bigint[], webhooks uuid[], ids bigint[], senders uuid[], heard boolean[], statuses smallint[], troubles text[], pauses bigint[], rests bigint[], gives_up interval, steps_aside interval, dead interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.settle_deliveries(accounts bigint[], webhooks uuid[], ids bigint[], senders uuid[], heard boolean[], statuses smallint[], troubles text[], pauses bigint[], rests bigint[], gives_up interval, steps_aside interval, dead interval) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.share_intake(me uuid, of_topic text, partitions integer, lease interval) FROM PUBLIC;

REVOKE ALL ON FUNCTION public.step_replay(most integer, sent integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.step_replay(most integer, sent integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.take_queued_events(accounts bigint[], versions bigint[], uids uuid[], kinds text[], key_hashes uuid[], content_hashes uuid[], emails text[], external_ids text[], email_hashes bytea[], external_hashes bytea[], times timestamp with time zone[], triggers text[], payloads jsonb[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_queued_events(accounts bigint[], versions bigint[], uids uuid[], kinds text[], key_hashes uuid[], content_hashes uuid[], emails text[], external_ids text[], email_hashes bytea[], external_hashes bytea[], times timestamp with time zone[], triggers text[], payloads jsonb[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.tell_delivery_ended() FROM PUBLIC;
REVOKE ALL ON FUNCTION public.tell_low_coupon_set(of_account bigint, of_set uuid) FROM PUBLIC;

GRANT SELECT,INSERT,DELETE ON TABLE public.coupon_set TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_set TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.coupon_set TO shopbell_api;
GRANT UPDATE(valid_from) ON TABLE public.coupon_set TO shopbell_api;
GRANT UPDATE(expires_at) ON TABLE public.coupon_set TO shopbell_api;
GRANT UPDATE(low_watermark) ON TABLE public.coupon_set TO shopbell_api;
GRANT UPDATE(is_low) ON TABLE public.coupon_set TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.coupon_set TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.coupon_set TO shopbell_api;

REVOKE ALL ON FUNCTION public.tell_low_coupon_sets(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.tell_low_coupon_sets(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.this_database() FROM PUBLIC;

GRANT SELECT,INSERT ON TABLE public.workflow TO shopbell_api;
GRANT SELECT ON TABLE public.workflow TO shopbell_reader;
GRANT SELECT ON TABLE public.workflow TO shopbell_worker;

GRANT UPDATE(name) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(status) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(active_version) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(draft_version) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(finish_mode) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(activated_at) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(finished_at) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.workflow TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.workflow TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.workflow_reference TO shopbell_api;
GRANT SELECT ON TABLE public.workflow_reference TO shopbell_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.bucket_use TO shopbell_worker;

GRANT SELECT ON TABLE public.consent TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.consent TO shopbell_api;
GRANT SELECT,INSERT ON TABLE public.consent TO shopbell_worker;

GRANT SELECT ON TABLE public.contact TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact TO shopbell_api;
GRANT SELECT,UPDATE ON TABLE public.contact TO shopbell_worker;

GRANT SELECT ON TABLE public.contact_field TO shopbell_worker;
GRANT SELECT ON TABLE public.contact_field TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact_field TO shopbell_api;

GRANT SELECT ON TABLE public.contact_field_counter TO shopbell_worker;
GRANT SELECT ON TABLE public.contact_field_counter TO shopbell_reader;
GRANT SELECT,INSERT,UPDATE ON TABLE public.contact_field_counter TO shopbell_api;

GRANT SELECT ON TABLE public.count_delta TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.count_delta TO shopbell_worker;
GRANT SELECT ON TABLE public.count_delta TO shopbell_reader;

GRANT SELECT ON TABLE public.count_merge TO shopbell_api;
GRANT SELECT ON TABLE public.count_merge TO shopbell_worker;
GRANT SELECT ON TABLE public.count_merge TO shopbell_reader;

GRANT UPDATE(through) ON TABLE public.count_merge TO shopbell_worker;
GRANT UPDATE(next_through) ON TABLE public.count_merge TO shopbell_worker;
GRANT UPDATE(next_xmax) ON TABLE public.count_merge TO shopbell_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.coupon TO shopbell_api;
GRANT SELECT ON TABLE public.coupon TO shopbell_reader;

GRANT SELECT(account_id) ON TABLE public.coupon TO shopbell_worker;
GRANT SELECT(code_key) ON TABLE public.coupon TO shopbell_worker;
GRANT SELECT(coupon_set_id) ON TABLE public.coupon TO shopbell_worker;
GRANT SELECT(shared) ON TABLE public.coupon TO shopbell_worker;
GRANT SELECT(claim_id) ON TABLE public.coupon TO shopbell_worker;
GRANT UPDATE(redeemed) ON TABLE public.coupon TO shopbell_api;

GRANT SELECT ON TABLE public.coupon_claim TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_claim TO shopbell_reader;

GRANT SELECT(account_id) ON TABLE public.coupon_claim TO shopbell_worker;
GRANT SELECT(claim_id) ON TABLE public.coupon_claim TO shopbell_worker;
GRANT SELECT(coupon_set_id) ON TABLE public.coupon_claim TO shopbell_worker;
GRANT SELECT(code_key) ON TABLE public.coupon_claim TO shopbell_worker;

GRANT UPDATE(contact_id) ON TABLE public.coupon_claim TO shopbell_api;
GRANT SELECT(contact_id) ON TABLE public.coupon_claim TO shopbell_worker;

GRANT SELECT(run_id) ON TABLE public.coupon_claim TO shopbell_worker;
GRANT SELECT(claimed_at) ON TABLE public.coupon_claim TO shopbell_worker;
GRANT SELECT(workflow_id) ON TABLE public.coupon_claim TO shopbell_worker;
GRANT SELECT(node) ON TABLE public.coupon_claim TO shopbell_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.coupon_redemption TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_redemption TO shopbell_reader;

GRANT SELECT(account_id) ON TABLE public.coupon_redemption TO shopbell_worker;
GRANT SELECT(purchase_id) ON TABLE public.coupon_redemption TO shopbell_worker;
GRANT SELECT(code_key) ON TABLE public.coupon_redemption TO shopbell_worker;
GRANT SELECT(coupon_set_id) ON TABLE public.coupon_redemption TO shopbell_worker;
GRANT UPDATE(contact_id) ON TABLE public.coupon_redemption TO shopbell_api;
GRANT SELECT(redeemed_at) ON TABLE public.coupon_redemption TO shopbell_worker;

GRANT SELECT ON TABLE public.dropped_contact_field TO shopbell_worker;
GRANT SELECT ON TABLE public.dropped_contact_field TO shopbell_reader;
GRANT INSERT ON TABLE public.dropped_contact_field TO shopbell_api;

GRANT INSERT ON TABLE public.dropped_coupon_set TO shopbell_api;
GRANT INSERT ON TABLE public.dropped_webhook TO shopbell_api;

GRANT SELECT,INSERT,UPDATE ON TABLE public.engine_interest TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.engine_interest TO shopbell_worker;
GRANT SELECT ON TABLE public.engine_interest TO shopbell_reader;

GRANT SELECT ON TABLE public.enrolment TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.enrolment TO shopbell_worker;
GRANT SELECT ON TABLE public.enrolment TO shopbell_reader;

GRANT SELECT ON TABLE public.erased_contact TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.erased_contact TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.event_type TO shopbell_api;
GRANT SELECT ON TABLE public.event_type TO shopbell_worker;

GRANT SELECT(account_id) ON TABLE public.event_type TO shopbell_reader;
GRANT SELECT(event_type_id) ON TABLE public.event_type TO shopbell_reader;
GRANT SELECT(integration_id) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(name) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(direction) ON TABLE public.event_type TO shopbell_reader;
GRANT SELECT(alias) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(fields) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(fields) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(additional_members) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(url) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(url) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(headers) ON TABLE public.event_type TO shopbell_api;
GRANT UPDATE(signing_secret) ON TABLE public.event_type TO shopbell_api;
GRANT UPDATE(previous_signing_secret) ON TABLE public.event_type TO shopbell_api;
GRANT UPDATE(previous_valid_until) ON TABLE public.event_type TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(version) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(created_at) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(updated_at) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(updated_at) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT,INSERT ON TABLE public.event_type_counter TO shopbell_api;
GRANT SELECT ON TABLE public.event_type_counter TO shopbell_reader;

GRANT UPDATE(version) ON TABLE public.event_type_counter TO shopbell_api;

GRANT SELECT,INSERT ON TABLE public.import_failure TO shopbell_api;
GRANT SELECT,DELETE ON TABLE public.import_failure TO shopbell_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.integration TO shopbell_api;
GRANT SELECT ON TABLE public.integration TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.integration TO shopbell_api;
GRANT UPDATE(description) ON TABLE public.integration TO shopbell_api;
GRANT UPDATE(color) ON TABLE public.integration TO shopbell_api;
GRANT UPDATE(image_url) ON TABLE public.integration TO shopbell_api;
GRANT UPDATE(events_enabled) ON TABLE public.integration TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.integration TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.integration TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.job TO shopbell_api;
GRANT SELECT,DELETE,UPDATE ON TABLE public.job TO shopbell_worker;

GRANT UPDATE(state) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(generation) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(leased_until) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(done) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(total) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(result) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.job TO shopbell_api;
GRANT UPDATE(finished_at) ON TABLE public.job TO shopbell_api;

GRANT SELECT ON TABLE public.key_use TO shopbell_api;
GRANT SELECT,INSERT,UPDATE ON TABLE public.key_use TO shopbell_worker;

GRANT SELECT ON TABLE public.lane_owner TO shopbell_worker;
GRANT SELECT ON TABLE public.log_epoch TO shopbell_worker;
GRANT SELECT,INSERT,DELETE ON TABLE public.log_parked TO shopbell_worker;
GRANT SELECT ON TABLE public.log_position TO shopbell_worker;

GRANT SELECT ON TABLE public.merged_contact TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.merged_contact TO shopbell_api;
GRANT SELECT ON TABLE public.merged_contact TO shopbell_worker;

GRANT UPDATE(into_id) ON TABLE public.merged_contact TO shopbell_api;

GRANT SELECT ON TABLE public.message TO shopbell_api;
GRANT SELECT,INSERT,UPDATE ON TABLE public.message TO shopbell_worker;
GRANT SELECT ON TABLE public.message TO shopbell_reader;

GRANT SELECT ON TABLE public.node_count TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.node_count TO shopbell_worker;
GRANT SELECT ON TABLE public.node_count TO shopbell_reader;

GRANT SELECT ON TABLE public.process TO shopbell_worker;

GRANT SELECT ON TABLE public.product TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.product TO shopbell_api;
GRANT SELECT ON TABLE public.product TO shopbell_worker;

GRANT SELECT ON TABLE public.purchase TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.purchase TO shopbell_api;
GRANT SELECT ON TABLE public.purchase TO shopbell_worker;

GRANT SELECT ON TABLE public.purchase_attribution TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.purchase_attribution TO shopbell_worker;
GRANT SELECT ON TABLE public.purchase_attribution TO shopbell_reader;

GRANT SELECT ON TABLE public.reader_account TO shopbell_worker;

GRANT SELECT ON TABLE public.run_history TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.run_history TO shopbell_worker;
GRANT SELECT ON TABLE public.run_history TO shopbell_reader;

GRANT SELECT ON TABLE public.schema_migration TO shopbell_api;
GRANT SELECT ON TABLE public.schema_migration TO shopbell_worker;
GRANT SELECT ON TABLE public.schema_migration TO shopbell_reader;

GRANT SELECT ON TABLE public.shown_contact TO shopbell_api;
GRANT SELECT ON TABLE public.shown_contact TO shopbell_reader;

GRANT SELECT ON TABLE public.shown_coupon_set TO shopbell_api;
GRANT SELECT ON TABLE public.shown_coupon_set TO shopbell_reader;

GRANT SELECT ON TABLE public.shown_purchase TO shopbell_api;
GRANT SELECT ON TABLE public.shown_purchase TO shopbell_worker;
GRANT SELECT ON TABLE public.shown_purchase TO shopbell_reader;

GRANT SELECT ON TABLE public.store_usage TO shopbell_api;
GRANT SELECT ON TABLE public.store_usage TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.store_usage TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.stored_file TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.stored_file TO shopbell_worker;

GRANT UPDATE(job_id) ON TABLE public.stored_file TO shopbell_api;
GRANT UPDATE(remove_at) ON TABLE public.stored_file TO shopbell_api;

GRANT SELECT ON TABLE public.subject_wait TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.subject_wait TO shopbell_worker;
GRANT SELECT ON TABLE public.subject_wait TO shopbell_reader;

GRANT SELECT ON TABLE public.suppression TO shopbell_reader;
GRANT SELECT,INSERT,DELETE ON TABLE public.suppression TO shopbell_api;
GRANT SELECT,INSERT,DELETE ON TABLE public.suppression TO shopbell_worker;

GRANT UPDATE(reason) ON TABLE public.suppression TO shopbell_api;
GRANT UPDATE(reason) ON TABLE public.suppression TO shopbell_worker;

GRANT UPDATE(at) ON TABLE public.suppression TO shopbell_api;
GRANT UPDATE(at) ON TABLE public.suppression TO shopbell_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.template TO shopbell_api;
GRANT SELECT ON TABLE public.template TO shopbell_reader;

GRANT UPDATE(version) ON TABLE public.template TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.template TO shopbell_api;
GRANT UPDATE(published_version) ON TABLE public.template TO shopbell_api;
GRANT UPDATE(draft_version) ON TABLE public.template TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.template_version TO shopbell_api;
GRANT SELECT ON TABLE public.template_version TO shopbell_reader;

GRANT UPDATE(published_at) ON TABLE public.template_version TO shopbell_api;
GRANT SELECT(at) ON TABLE public.usage_position TO shopbell_api;

GRANT SELECT,INSERT ON TABLE public.webhook_chain TO shopbell_api;
GRANT SELECT ON TABLE public.webhook_chain TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.webhook_chain TO shopbell_worker;

GRANT UPDATE(last_sequence) ON TABLE public.webhook_chain TO shopbell_api;
GRANT UPDATE(last_sequence) ON TABLE public.webhook_chain TO shopbell_worker;

GRANT UPDATE(head) ON TABLE public.webhook_chain TO shopbell_api;
GRANT UPDATE(head) ON TABLE public.webhook_chain TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.webhook_queue TO shopbell_api;
GRANT SELECT ON TABLE public.webhook_queue TO shopbell_worker;

GRANT UPDATE(next_due_at) ON TABLE public.webhook_queue TO shopbell_api;
GRANT UPDATE(next_due_at) ON TABLE public.webhook_queue TO shopbell_worker;

GRANT SELECT ON TABLE public.workflow_number TO shopbell_api;
GRANT SELECT ON TABLE public.workflow_number TO shopbell_worker;
GRANT SELECT ON TABLE public.workflow_number TO shopbell_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workflow_schedule TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.workflow_schedule TO shopbell_worker;
GRANT SELECT ON TABLE public.workflow_schedule TO shopbell_reader;

GRANT SELECT,INSERT,DELETE ON TABLE public.workflow_version TO shopbell_api;
GRANT SELECT ON TABLE public.workflow_version TO shopbell_reader;
GRANT SELECT ON TABLE public.workflow_version TO shopbell_worker;

GRANT UPDATE(published_at) ON TABLE public.workflow_version TO shopbell_api;
