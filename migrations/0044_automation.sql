-- transactional
-- Running workflows: runs, enrolments, timers, product waits, counts. Only the owner of a contact's lanes writes them.

-- One row per open run. No indexed column ever changes, so every step is a HOT update.
CREATE TABLE run (
  account_id    bigint NOT NULL,
  contact_id    uuid NOT NULL,
  run_id        uuid NOT NULL,
  workflow_id   uuid NOT NULL,
  version       integer NOT NULL,
  lane          smallint NOT NULL CHECK (lane BETWEEN 0 AND 1023),
  state         text NOT NULL CHECK (state IN ('open', 'held', 'parked', 'done')),
  node          text NOT NULL,
  seq           integer NOT NULL,      -- raised by every write; a step requires the one that it has read
  key           text NOT NULL,         -- the key of the run; empty: none
  enrolment_key text COLLATE "C" NOT NULL,
  started_at    timestamptz NOT NULL,
  node_since    timestamptz NOT NULL,
  due_at        timestamptz,           -- when the run moves by itself
  timer_at      timestamptz,           -- the armed timer of the run: at or before due_at
  trigger_at    timestamptz,           -- received_at and id of the event that started the run
  trigger_id    bigint,
  trigger_data  json,                  -- its envelope, copied before the event is dropped
  schedule_date text,
  visits        integer NOT NULL,
  message_id    uuid,
  delivery_id   uuid,
  has_sent      boolean NOT NULL,
  converted     boolean NOT NULL,
  data          json,                  -- item, variables, subjects, coupons; null: none
  seen          text NOT NULL,         -- the nodes and edges that this person has passed
  trail         text NOT NULL,         -- the steps, one a line
  why           text,
  PRIMARY KEY (account_id, contact_id, run_id)
) WITH (fillfactor = 80);
CREATE INDEX run_workflow ON run (account_id, workflow_id, run_id);

-- Ended runs, in monthly partitions.
CREATE TABLE run_history (
  account_id  bigint NOT NULL,
  contact_id  uuid NOT NULL,
  run_id      uuid NOT NULL,
  workflow_id uuid NOT NULL,
  version     integer NOT NULL,
  node        text NOT NULL,
  key         text NOT NULL,
  started_at  timestamptz NOT NULL,
  ended_at    timestamptz NOT NULL,
  converted   boolean NOT NULL,
  trail       text NOT NULL,
  why         text NOT NULL,           -- "completed", or the reason of the exit
  PRIMARY KEY (account_id, contact_id, run_id, ended_at)
) PARTITION BY RANGE (ended_at);
CREATE INDEX run_history_workflow ON run_history (account_id, workflow_id, run_id);

-- What is remembered of runs after their end: the primary key keeps the re-entry rules.
CREATE TABLE enrolment (
  account_id  bigint NOT NULL,
  contact_id  uuid NOT NULL,
  workflow_id uuid NOT NULL,
  key         text COLLATE "C" NOT NULL,
  lane        smallint NOT NULL CHECK (lane BETWEEN 0 AND 1023),
  run_id      uuid NOT NULL,
  started_at  timestamptz NOT NULL,
  ended_at    timestamptz,
  seen        text NOT NULL,
  PRIMARY KEY (account_id, contact_id, workflow_id, key)
) WITH (fillfactor = 90);

-- Due times. Firing a timer deletes nothing: the owner deletes by range behind what has fired. A timer that is not its
-- run's timer_at is dropped when it fires, so a timer may be read twice.
CREATE TABLE timer (
  lane_group smallint NOT NULL CHECK (lane_group BETWEEN 0 AND 63),
  due_at     timestamptz NOT NULL,
  owner_id   uuid NOT NULL,            -- the run
  account_id bigint NOT NULL,
  contact_id uuid NOT NULL,
  PRIMARY KEY (lane_group, due_at, owner_id)
);

-- Runs that wait for an event of a product, oldest first.
CREATE TABLE subject_wait (
  account_id bigint NOT NULL,
  subject    text COLLATE "C" NOT NULL,  -- "shirt" or "shirt/blue"
  since      timestamptz NOT NULL,
  run_id     uuid NOT NULL,
  contact_id uuid NOT NULL,
  lane       smallint NOT NULL CHECK (lane BETWEEN 0 AND 1023),
  per_unit   integer NOT NULL,         -- runs that one unit in stock releases; 0: all
  PRIMARY KEY (account_id, subject, since, run_id)
);

-- Numbers of people. Every commit of the lanes appends its changes; a chore merges them into node_count. A reader adds
-- both, so the sum is exact at any time and no row is hot.
CREATE TABLE count_delta (
  number      bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  account_id  bigint NOT NULL,
  workflow_id uuid NOT NULL,
  node        text NOT NULL,           -- empty: the workflow itself
  counter     text NOT NULL,           -- "waiting", an edge such as "next", "entered", …
  delta       bigint NOT NULL,
  PRIMARY KEY (account_id, workflow_id, number)
);
CREATE INDEX count_delta_number ON count_delta (number);
CREATE TABLE node_count (
  account_id  bigint NOT NULL,
  workflow_id uuid NOT NULL,
  node        text NOT NULL,
  counter     text NOT NULL,
  people      bigint NOT NULL,
  PRIMARY KEY (account_id, workflow_id, node, counter)
) WITH (fillfactor = 50);

-- The kinds of events that an account's workflows ask for. No other event of the account is read. `version` rises when
-- a workflow is published, paused, resumed or finished: a batch is never stepped with older definitions.
CREATE TABLE engine_interest (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  version    bigint NOT NULL,
  kinds      text[] NOT NULL,
  PRIMARY KEY (account_id)
) WITH (fillfactor = 50);

-- The next time of a workflow's schedule, and how far its walk over the contacts has come. `zone`: an IANA time zone, for
-- the contacts with that zone; empty, for those without one; "*" for all. Row "+" plans the others.
CREATE TABLE workflow_schedule (
  account_id  bigint NOT NULL,
  workflow_id uuid NOT NULL,
  zone        text COLLATE "C" NOT NULL,
  version     integer NOT NULL,
  next_at     timestamptz NOT NULL,
  baseline    boolean NOT NULL,        -- the next walk only notes for whom the condition holds
  walked_to   uuid,                    -- the contact up to which the present walk has come; null: no walk
  PRIMARY KEY (account_id, workflow_id, zone)
);
CREATE INDEX workflow_schedule_due ON workflow_schedule (next_at);

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['run', 'run_history', 'enrolment', 'timer', 'subject_wait', 'count_delta', 'node_count',
                              'engine_interest', 'workflow_schedule'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
    EXECUTE format('CREATE POLICY every_account ON %I TO shopbell_worker USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_api, shopbell_worker, shopbell_reader', name);
    EXECUTE format('GRANT INSERT, UPDATE, DELETE ON %I TO shopbell_worker', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('run', 'run_history', 'enrolment', 'timer', 'subject_wait', 'count_delta',
                                   'node_count', 'engine_interest', 'workflow_schedule')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name,
                   CASE WHEN col.column_name IN ('data', 'trigger_data', 'key', 'enrolment_key')
                             AND col.table_name IN ('run', 'run_history', 'enrolment')
                        THEN 'personal' ELSE 'not personal' END);
  END LOOP;
END $$;
GRANT INSERT, UPDATE ON engine_interest, workflow_schedule TO shopbell_api;
GRANT DELETE ON workflow_schedule TO shopbell_api;
-- The lanes read definitions, contacts and what conditions ask for, of every account.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['workflow', 'workflow_version', 'event_type', 'contact', 'merged_contact', 'product',
                              'purchase'] LOOP
    EXECUTE format('CREATE POLICY every_account ON %I FOR SELECT TO shopbell_worker USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_worker', name);
  END LOOP;
END $$;

-- The lanes change contacts like requests do, with the same statements.
DO $$
DECLARE name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['contact_facet', 'consent', 'suppression', 'erasure'] LOOP
    EXECUTE format('CREATE POLICY every_account ON %I TO shopbell_worker USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_worker', name);
  END LOOP;
END $$;
CREATE POLICY every_account_changes ON contact FOR UPDATE TO shopbell_worker USING (true);
GRANT UPDATE ON contact TO shopbell_worker;
GRANT INSERT, DELETE ON contact_facet, suppression TO shopbell_worker;
GRANT INSERT ON consent TO shopbell_worker;
GRANT UPDATE (reason, at) ON suppression TO shopbell_worker;

-- Claims a code for a visit of a node; null if the set has none, has expired or is gone. With `reuse` it is the contact's
-- last code of the set, unless that is redeemed.
CREATE FUNCTION claim_coupon_for_run(of_account bigint, set_name text, for_contact uuid, claim uuid, run uuid,
                                     reuse boolean)
  RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
  RETURN CASE WHEN claimed.outcome = 'given' THEN claimed.code END;
END $$;

-- Takes a code back that was claimed and not redeemed, so that it can be claimed again.
CREATE FUNCTION release_coupon(of_account bigint, claim uuid) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
REVOKE ALL ON FUNCTION claim_coupon_for_run(bigint, text, uuid, uuid, uuid, boolean), release_coupon(bigint, uuid)
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_coupon_for_run(bigint, text, uuid, uuid, uuid, boolean), release_coupon(bigint, uuid)
   TO shopbell_worker;

-- Readers of the log that act for some accounts only, and the kinds of events that an account asks for; null: all.
CREATE OR REPLACE VIEW reader_account WITH (security_invoker = true) AS
  SELECT 'webhooks'::text AS reader, account_id, NULL::text[] AS kinds FROM webhook WHERE state <> 'disabled'
  UNION ALL
  SELECT 'automation', account_id, kinds FROM engine_interest
  UNION ALL
  SELECT 'wakes', account_id, ARRAY(SELECT k FROM unnest(kinds) k WHERE k LIKE 'product.%' OR k = 'wake-more')
    FROM engine_interest;
COMMENT ON COLUMN reader_account.kinds IS 'not personal';

-- True if a timer has become due since the time of the last tick.
CREATE FUNCTION has_due_timers(since timestamptz) RETURNS boolean
  LANGUAGE sql VOLATILE SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    SELECT EXISTS (SELECT FROM generate_series(0, 63) AS g (lane_group)
                    CROSS JOIN LATERAL (SELECT FROM timer t
                                         WHERE t.lane_group = g.lane_group AND t.due_at > since
                                           AND t.due_at <= transaction_timestamp()
                                         ORDER BY t.due_at LIMIT 1) due);
  END;
REVOKE ALL ON FUNCTION has_due_timers(timestamptz) FROM PUBLIC;

-- Makes a tick if there is something to show that the last one did not, or if a timer has become due; otherwise it writes
-- nothing.
CREATE OR REPLACE FUNCTION make_tick(me uuid, held bigint, OUT tick bigint, OUT made boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
