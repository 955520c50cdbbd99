-- transactional
-- Ownership and positions of lanes are separate, and no row is updated often: while a long snapshot is open, such as
-- that of a dump, PostgreSQL keeps every old version of a row, and each lookup walks all of them. Positions and
-- heartbeats are appended and read from their newest end. Functions and names that the previous release uses stay, with
-- the same meaning: both releases run side by side.

-- In the order of `beat`: the previous release's processes are running.
LOCK TABLE process, log_ticker, log_position IN ACCESS EXCLUSIVE MODE;

-- The process that reads each group of lanes. A row changes when its lanes change hands. Every commit of a reader locks its rows first.
CREATE TABLE lane_owner (
  reader     text COLLATE "C" NOT NULL,
  lane_group smallint NOT NULL CHECK (lane_group BETWEEN 0 AND 63),
  owner      uuid,
  generation bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (reader, lane_group)
);

-- How far a reader has come: one row per commit, for the groups of lanes that it moved. The newest row of a group
-- counts: all up to `tick` is done; of the batch from there to `through` all up to `after_id`. Owners repeat the
-- positions of all their groups once a second while they move, so the newest rows have all of them.
CREATE TABLE lane_position (
  reader   text COLLATE "C" NOT NULL,
  number   bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  at       timestamptz NOT NULL DEFAULT transaction_timestamp(),
  groups   smallint[] NOT NULL,
  tick     bigint NOT NULL,
  through  bigint,
  after_id bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (reader, number)
);

INSERT INTO lane_owner (reader, lane_group, owner, generation)
  SELECT reader, lane_group, owner, generation FROM log_position;
INSERT INTO lane_position (reader, groups, tick, through, after_id)
  SELECT reader, array_agg(lane_group ORDER BY lane_group), tick, through, after_id FROM log_position
   GROUP BY reader, tick, through, after_id;

-- Heartbeats of the last minute.
CREATE TABLE heartbeat (
  at      timestamptz NOT NULL,
  process uuid NOT NULL,
  PRIMARY KEY (at, process)
);
-- Every running process. `beat_at` is renewed once a minute.
ALTER TABLE process RENAME TO running_process;
INSERT INTO heartbeat (at, process) SELECT beat_at, process FROM running_process ON CONFLICT DO NOTHING;

-- Heartbeats that count: at most a lease old. A later time means that the clock was set back since.
CREATE FUNCTION living_processes(lease interval) RETURNS uuid[]
  LANGUAGE sql STABLE SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    SELECT coalesce(array_agg(DISTINCT process), '{}') FROM heartbeat
     WHERE at > transaction_timestamp() - lease AND at < transaction_timestamp() + lease;
  END;

-- For readers of the previous release and for operators.
CREATE VIEW process WITH (security_invoker = true) AS
  SELECT p.process, p.version, p.started_at,
         coalesce(h.at, least(p.beat_at, transaction_timestamp() - interval '1 minute')) AS beat_at, p.readers,
         p.keyring_keys
    FROM running_process p
    LEFT JOIN (SELECT process, max(at) AS at FROM heartbeat
                WHERE at > transaction_timestamp() - interval '1 minute'
                  AND at < transaction_timestamp() + interval '5 s' GROUP BY process) h ON h.process = p.process;

-- The newest positions of these groups, or of all. Reads backwards until it has every one. The settings leave only the
-- index in its order: a sort would first read all rows that a long snapshot keeps.
CREATE FUNCTION lane_positions(of_reader text, wanted smallint[] DEFAULT NULL)
  RETURNS TABLE (lane_group smallint, number bigint, at timestamptz, tick bigint, through bigint, after_id bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off AS $$
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

-- Called once a second by every process: renews its heartbeat, takes free lanes of each reader up to its share,
-- releases lanes above it, and takes the ticker's role if nobody has it. Returns all lanes that it holds now.
CREATE OR REPLACE FUNCTION beat(me uuid, running text, lease interval, readers text[])
  RETURNS TABLE (reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
  RETURN QUERY SELECT o.reader, o.lane_group, o.generation, p.tick, p.through, p.after_id
                 FROM unnest(readers) r
                CROSS JOIN LATERAL lane_positions(r) p
                 JOIN lane_owner o ON o.reader = r AND o.lane_group = p.lane_group
                WHERE o.owner = me ORDER BY o.reader, o.lane_group;
END $$;

-- The heartbeat, with the process's keyring.
CREATE OR REPLACE FUNCTION beat(me uuid, running text, lease interval, readers text[], keys integer[])
  RETURNS TABLE (reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  RETURN QUERY SELECT b.* FROM beat(me, running, lease, readers) b;
  UPDATE running_process p SET keyring_keys = keys WHERE p.process = me AND p.keyring_keys IS DISTINCT FROM keys;
END $$;

-- As before, but with the heartbeats of their new table.
CREATE OR REPLACE FUNCTION rehash_key(old_hash bytea, new_hash bytea, new_key integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    UPDATE api_key SET hash = new_hash, ring_key = new_key
     WHERE hash = old_hash
       AND NOT EXISTS (SELECT FROM running_process p WHERE p.process = ANY (living_processes(interval '1 minute'))
                          AND NOT coalesce(new_key = ANY (p.keyring_keys), false));
  END;

-- Called by a process that ends, so that others need not wait for its lease to expire.
CREATE OR REPLACE FUNCTION leave(me uuid) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  DELETE FROM heartbeat WHERE process = me AND at > transaction_timestamp() - interval '70 s';
  DELETE FROM running_process WHERE process = me;
  UPDATE log_ticker SET owner = NULL WHERE owner = me;
  UPDATE lane_owner SET owner = NULL WHERE owner = me;
END $$;

-- The fence: the first statement of every commit of a reader. Raises unless all lanes are the caller's and where it
-- left them, so that nothing behind it happens. The lock lasts until the commit: no other process can take the lanes,
-- and no other commit of the same process can move them.
CREATE FUNCTION fence_lanes(me uuid, name text, groups smallint[], generations bigint[],
                            from_ticks bigint[], from_throughs bigint[], from_ids bigint[]) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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

-- The last statement of every commit of a reader.
CREATE FUNCTION save_position(name text, groups smallint[], to_tick bigint, to_through bigint, to_id bigint)
  RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    INSERT INTO lane_position (reader, groups, tick, through, after_id)
      VALUES (name, groups, to_tick, to_through, to_id);
  END;

-- The fence of the previous release, which moves the position at once.
CREATE OR REPLACE FUNCTION advance(me uuid, name text, groups smallint[], generations bigint[],
                                   from_ticks bigint[], from_throughs bigint[], from_ids bigint[],
                                   to_tick bigint, to_through bigint, to_id bigint) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  PERFORM fence_lanes(me, name, groups, generations, from_ticks, from_throughs, from_ids);
  PERFORM save_position(name, groups, to_tick, to_through, to_id);
END $$;

-- For operators: a reader that nobody needs any more keeps no ticks.
CREATE OR REPLACE FUNCTION drop_log_reader(name text) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  dropped bigint;
BEGIN
  DELETE FROM lane_owner WHERE reader = name;
  GET DIAGNOSTICS dropped = ROW_COUNT;
  DELETE FROM lane_position WHERE reader = name;
  DELETE FROM log_parked WHERE reader = name;
  RETURN dropped;
END $$;

-- Called by the ticker now and then: deletes ticks and positions that no reader needs, processes that are gone, and
-- readers that no process has had for `unused`. It searches from where the last call ended, in steps of at most `most`:
-- from the oldest on it would walk all rows that a long snapshot keeps. Returns where the next call continues, and the
-- readers that it dropped.
CREATE FUNCTION forget_log(kept interval, unused interval, most integer,
                           INOUT from_tick bigint, INOUT from_number bigint, OUT dropped text[])
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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

-- The same for the previous release. Returns how many ticks it deleted.
CREATE OR REPLACE FUNCTION forget_ticks(kept interval, most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  first CONSTANT bigint := (SELECT min(tick) FROM public.log_tick);
BEGIN
  RETURN (SELECT from_tick - first FROM forget_log(kept, interval '1000 years', most, first, NULL));
END $$;

-- For readers of the previous release and for operators.
DROP TABLE log_position;
CREATE VIEW log_position WITH (security_invoker = true) AS
  SELECT o.reader, o.lane_group, o.owner, o.generation, p.tick, p.through, p.after_id
    FROM (SELECT DISTINCT reader FROM lane_owner) r
   CROSS JOIN LATERAL lane_positions(r.reader) p
    JOIN lane_owner o ON o.reader = r.reader AND o.lane_group = p.lane_group;

GRANT SELECT ON lane_owner, lane_position, heartbeat, process, log_position TO shopbell_worker;

DO $$
DECLARE
  signature text;
  col record;
BEGIN
  FOREACH signature IN ARRAY ARRAY['living_processes(interval)', 'lane_positions(text, smallint[])',
      'fence_lanes(uuid, text, smallint[], bigint[], bigint[], bigint[], bigint[])',
      'save_position(text, smallint[], bigint, bigint, bigint)',
      'forget_log(interval, interval, integer, bigint, bigint)']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_worker', signature);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('lane_owner', 'lane_position', 'heartbeat', 'running_process', 'process',
                                   'log_position')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
