-- transactional
-- The log: events as they are read, each once and in order. A tick is a snapshot of the database; what one tick shows
-- and an earlier one does not is a batch, the same for whoever reads it and whenever. Inside a batch events go by id.

-- One life of the database. A copy that was loaded from a dump numbers its transactions anew, one that was restored or
-- took over may number events anew: then the old epoch ends with a tick that shows everything, and the next begins.
CREATE TABLE log_epoch (
  epoch    integer PRIMARY KEY,
  life     text NOT NULL,    -- of which server, time-line, database and incarnation
  start_id bigint NOT NULL,  -- its events have greater ids
  began_at timestamptz NOT NULL
);

CREATE TABLE log_tick (
  tick     bigint PRIMARY KEY,
  epoch    integer NOT NULL REFERENCES log_epoch,
  at       timestamptz NOT NULL,
  shows    pg_snapshot NOT NULL,
  ends     boolean NOT NULL DEFAULT false,  -- the last of its epoch: shows all of it, whatever `shows` says
  last_id  bigint NOT NULL,      -- the ids given out when it was made; some of them to transactions it does not show
  since    timestamptz NOT NULL  -- what it does not show was received then or later
);
CREATE INDEX log_tick_shown ON log_tick (epoch, pg_snapshot_xmax(shows), tick);
CREATE INDEX log_tick_size ON log_tick (epoch, last_id, tick);

-- Who makes ticks: one process at a time, which finds itself refused once another has taken over.
CREATE TABLE log_ticker (
  one         boolean PRIMARY KEY DEFAULT true CHECK (one),
  owner       uuid,
  generation  bigint NOT NULL DEFAULT 0,
  incarnation integer NOT NULL DEFAULT 1  -- raised by the operator after a restore that nothing else gives away
) WITH (fillfactor = 20);
INSERT INTO log_ticker DEFAULT VALUES;

-- Every running process, by its one heartbeat: what it holds is its own while that is young.
CREATE TABLE process (
  process    uuid PRIMARY KEY,
  version    text NOT NULL,
  started_at timestamptz NOT NULL DEFAULT transaction_timestamp(),
  beat_at    timestamptz NOT NULL DEFAULT transaction_timestamp()
) WITH (fillfactor = 20);

-- How far each reader has come in each of the 64 groups of lanes, and who reads on: position and owner in one row, so
-- that to move the one is to check the other. All up to `tick` is done; of the batch from there to `through` all up to
-- `after_id`.
CREATE TABLE log_position (
  reader     text COLLATE "C" NOT NULL,
  lane_group smallint NOT NULL CHECK (lane_group BETWEEN 0 AND 63),
  owner      uuid,
  generation bigint NOT NULL DEFAULT 0,
  tick       bigint NOT NULL,
  through    bigint,
  after_id   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (reader, lane_group)
) WITH (fillfactor = 20);

-- Events that a reader could not take, put aside so that those behind them can go on.
CREATE TABLE log_parked (
  account_id  bigint NOT NULL,
  reader      text COLLATE "C" NOT NULL,
  event_id    bigint NOT NULL,
  received_at timestamptz NOT NULL,
  uid         uuid NOT NULL,
  kind        text NOT NULL,
  reason      text NOT NULL,
  parked_at   timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, reader, event_id)
);
ALTER TABLE log_parked ENABLE ROW LEVEL SECURITY;
CREATE POLICY every_account ON log_parked TO shopbell_worker USING (true);

GRANT SELECT ON log_epoch, log_tick, log_ticker, process, log_position TO shopbell_worker;
GRANT SELECT, INSERT, DELETE ON log_parked TO shopbell_worker;

-- Which life of the database this is.
CREATE FUNCTION log_life() RETURNS text LANGUAGE sql STABLE
  RETURN format('%s.%s.%s.%s', (SELECT system_identifier FROM pg_control_system()),
                left(pg_walfile_name(pg_current_wal_lsn()), 8),
                (SELECT oid FROM pg_database WHERE datname = current_database()),
                (SELECT incarnation FROM public.log_ticker));

-- Once a second, by every process: it lives, takes of every reader what is its share and nobody holds, gives back what
-- is more, and makes ticks when nobody else does. Answers with all it holds now.
CREATE FUNCTION beat(me uuid, running text, lease interval, readers text[])
  RETURNS TABLE (reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
  alive uuid[];
  share integer;
  name  text;
BEGIN
  INSERT INTO process (process, version) VALUES (me, running)
    ON CONFLICT (process) DO UPDATE SET beat_at = transaction_timestamp();
  alive := ARRAY(SELECT process FROM process WHERE beat_at > transaction_timestamp() - lease);
  UPDATE log_ticker SET owner = me, generation = generation + 1 WHERE owner IS NULL OR owner <> ALL (alive);
  share := ceil(64.0 / cardinality(alive));
  FOREACH name IN ARRAY readers LOOP
    -- A new reader begins with what happens from now on.
    IF NOT EXISTS (SELECT FROM log_position WHERE reader = name) THEN
      INSERT INTO log_position (reader, lane_group, tick)
        SELECT name, g, (SELECT max(tick) FROM log_tick) FROM generate_series(0, 63) g
        ON CONFLICT DO NOTHING;
    END IF;
    UPDATE log_position p SET owner = NULL
      -- Not those that a transaction of ours is just moving: the heartbeat must not wait for them.
      FROM (SELECT lane_group FROM log_position WHERE reader = name AND owner = me
             ORDER BY lane_group DESC
             LIMIT greatest(0, (SELECT count(*) FROM log_position WHERE reader = name AND owner = me) - share)
               FOR UPDATE SKIP LOCKED) more
     WHERE p.reader = name AND p.lane_group = more.lane_group AND p.owner = me;
    UPDATE log_position p SET owner = me, generation = generation + 1
      FROM (SELECT lane_group FROM log_position
             WHERE reader = name AND (owner IS NULL OR owner <> ALL (alive))
             ORDER BY lane_group
             LIMIT greatest(0, share - (SELECT count(*) FROM log_position WHERE reader = name AND owner = me))
               FOR UPDATE SKIP LOCKED) free
     WHERE p.reader = name AND p.lane_group = free.lane_group;
  END LOOP;
  RETURN QUERY SELECT p.reader, p.lane_group, p.generation, p.tick, p.through, p.after_id FROM log_position p
                WHERE p.owner = me AND p.reader = ANY (readers) ORDER BY p.reader, p.lane_group;
END $$;

-- A process that ends says so: others need not wait until it looks dead.
CREATE FUNCTION leave(me uuid) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    DELETE FROM process WHERE process = me;
    UPDATE log_ticker SET owner = NULL WHERE owner = me;
    UPDATE log_position SET owner = NULL WHERE owner = me;
  END;

-- Whether there is something to show that the tick does not. Asked of the events, not of their sequence: an id can be
-- drawn long before its transaction has a number.
CREATE FUNCTION log_has_news(last log_tick, from_id bigint) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public AS $$
DECLARE
  begun   CONSTANT xid8 := pg_snapshot_xmax(last.shows);
  pending CONSTANT xid8[] := ARRAY(SELECT pg_snapshot_xip(last.shows));
BEGIN
  RETURN EXISTS (SELECT FROM event WHERE xid >= begun AND xid < pg_snapshot_xmax(pg_current_snapshot())
                                     AND id > from_id AND received_at >= last.since)
      OR EXISTS (SELECT FROM event WHERE xid = ANY (pending) AND id > from_id AND received_at >= last.since);
END $$;

-- The last id given out, whoever has it.
CREATE FUNCTION last_event_id() RETURNS bigint LANGUAGE sql VOLATILE
  RETURN (SELECT CASE WHEN is_called THEN last_value ELSE last_value - 1 END FROM public.event_id_seq);

-- Another life of the database, or its first: whatever happened in the last one is in a tick that ends it. Whoever has
-- drawn an id holds a lock on the table: once it is ours, every id given out is committed or lost. Answers with the new
-- life's first tick.
CREATE FUNCTION enter_log_epoch() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public SET lock_timeout = '3s' AS $$
DECLARE
  last    log_tick;
  from_id bigint;
  shown   pg_snapshot;
  next    integer;
BEGIN
  LOCK TABLE event IN SHARE MODE;
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  from_id := last_event_id();
  shown := pg_current_snapshot();
  IF last.tick IS NOT NULL THEN
    INSERT INTO log_tick (tick, epoch, at, shows, ends, last_id, since)
      VALUES (last.tick + 1, last.epoch, transaction_timestamp(), shown, true, from_id, last.since);
  END IF;
  INSERT INTO log_epoch (epoch, life, start_id, began_at)
    SELECT coalesce(max(epoch), 0) + 1, log_life(), from_id, transaction_timestamp() FROM log_epoch
    RETURNING epoch INTO next;
  INSERT INTO log_tick (tick, epoch, at, shows, last_id, since)
    VALUES (coalesce(last.tick + 2, 1), next, transaction_timestamp(), shown, from_id,
            transaction_timestamp() - interval '10 minutes');
  RETURN coalesce(last.tick + 2, 1);
END $$;

-- Makes a tick when there is something to show that the last one did not; while there is nothing, it writes nothing.
CREATE FUNCTION make_tick(me uuid, held bigint, OUT tick bigint, OUT made boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
  last    log_tick;
  from_id bigint;
  shown   pg_snapshot;
BEGIN
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  SELECT e.start_id INTO from_id FROM log_epoch e WHERE e.epoch = last.epoch AND e.life = log_life();
  IF FOUND AND NOT log_has_news(last, from_id) THEN
    PERFORM require(EXISTS (SELECT FROM log_ticker WHERE owner = me AND generation = held), 'SB003',
                    'another process makes ticks');
    tick := last.tick;
    made := false;
    RETURN;
  END IF;

  -- The lock first, everything else by later statements, which see what was committed meanwhile, the snapshot above
  -- all: so a tick never shows less than the one before it.
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
             -- What this tick does not show began, at the earliest, shortly before the newest tick that shows all
             -- older: no transaction of the service may take so long.
             greatest(last.since, (SELECT k.at - interval '10 minutes' FROM log_tick k
                                    WHERE k.epoch = last.epoch AND pg_snapshot_xmax(k.shows) <= pg_snapshot_xmin(shown)
                                    ORDER BY pg_snapshot_xmax(k.shows) DESC, k.tick DESC LIMIT 1));
    RETURN;
  END IF;

  tick := enter_log_epoch();
END $$;

-- The fence, first in every commit of a reader. To move the position is to check that it, and the lanes, are still the
-- caller's: it raises unless all of them are, so that nothing behind it happens.
CREATE FUNCTION advance(me uuid, name text, groups smallint[], generations bigint[],
                        from_ticks bigint[], from_throughs bigint[], from_ids bigint[],
                        to_tick bigint, to_through bigint, to_id bigint) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE moved integer;
BEGIN
  UPDATE log_position p SET tick = to_tick, through = to_through, after_id = to_id
    FROM unnest(groups, generations, from_ticks, from_throughs, from_ids)
      AS held (lane_group, generation, tick, through, after_id)
   WHERE p.reader = name AND p.lane_group = held.lane_group AND p.owner = me AND p.generation = held.generation
     AND p.tick = held.tick AND p.through IS NOT DISTINCT FROM held.through AND p.after_id = held.after_id;
  GET DIAGNOSTICS moved = ROW_COUNT;
  PERFORM require(moved = cardinality(groups), 'SB003', 'the lanes have another owner or position');
  PERFORM set_config('lock_timeout', '2s', true);  -- what stands behind the fence may wait for others
END $$;

-- Ticks that every reader has passed, and processes that are gone.
CREATE FUNCTION forget_ticks(kept interval, most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    DELETE FROM process WHERE beat_at < transaction_timestamp() - interval '1 hour';
    WITH old AS (
      SELECT tick FROM log_tick
       WHERE tick < (SELECT least(min(p.tick), (SELECT max(tick) FROM log_tick)) FROM log_position p)
         AND at < transaction_timestamp() - kept
       ORDER BY tick LIMIT most
    ), gone AS (DELETE FROM log_tick USING old WHERE log_tick.tick = old.tick RETURNING 1)
    SELECT count(*) FROM gone;
  END;

-- What the operator does: a reader that nobody needs keeps nothing back any more; a restored copy says it is one.
CREATE FUNCTION drop_log_reader(name text) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH gone AS (DELETE FROM log_position WHERE reader = name RETURNING 1),
         parked AS (DELETE FROM log_parked WHERE reader = name)
    SELECT count(*) FROM gone;
  END;
CREATE FUNCTION begin_log_epoch() RETURNS integer
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    UPDATE log_ticker SET incarnation = incarnation + 1 RETURNING incarnation;
  END;

DO $$
DECLARE
  signature text;
  col record;
BEGIN
  FOREACH signature IN ARRAY ARRAY['beat(uuid, text, interval, text[])', 'leave(uuid)',
      'log_has_news(log_tick, bigint)', 'make_tick(uuid, bigint)', 'last_event_id()', 'enter_log_epoch()',
      'advance(uuid, text, smallint[], bigint[], bigint[], bigint[], bigint[], bigint, bigint, bigint)',
      'forget_ticks(interval, integer)', 'drop_log_reader(text)', 'begin_log_epoch()']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    CONTINUE WHEN signature LIKE ANY (ARRAY['log_has_news(%', 'last_event_id(%', 'enter_log_epoch(%']);  -- inner parts
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_worker', signature);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('log_epoch', 'log_tick', 'log_ticker', 'process', 'log_position', 'log_parked')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;

-- As before, but nothing goes that a reader has still to read.
-- Called by any running process at its start and now and then: makes the partitions of this month and of `ahead` more,
-- drops those that are wholly older than `retention` and that every reader of the log has passed. Whoever comes while
-- another is at it leaves it to that one. What cannot be locked within 50 ms is left for the next call: a longer wait
-- would queue every reader and writer behind it.
-- `covered`: this month's partition is there.
CREATE OR REPLACE FUNCTION keep_event_partitions(retention interval, ahead integer,
                                      OUT made text[], OUT dropped text[], OUT covered boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '50ms' AS $$
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

-- From now on: whatever is committed later is in a later tick.
SELECT enter_log_epoch();
