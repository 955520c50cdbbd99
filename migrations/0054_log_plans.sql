-- transactional
-- Functions of the log whose plans got worse with the number of events and processes.

-- One call reads the positions of 64 groups, in about a millisecond.
ALTER FUNCTION lane_positions(text, smallint[]) COST 20000 ROWS 64;

-- The heartbeat, with another last statement than before.
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
  -- Once per reader: PostgreSQL would expect few groups, and read the positions once for each.
  RETURN QUERY WITH positions AS MATERIALIZED (SELECT r, p.* FROM unnest(readers) r CROSS JOIN LATERAL lane_positions(r) p)
               SELECT o.reader, o.lane_group, o.generation, p.tick, p.through, p.after_id
                 FROM positions p JOIN lane_owner o ON o.reader = p.r AND o.lane_group = p.lane_group
                WHERE o.owner = me ORDER BY o.reader, o.lane_group;
END $$;

-- True if there is an event that the tick does not show. It asks the events and not their sequence: an id can be drawn
-- long before its transaction has a number. The clock may be behind the tick's by now. The transactions that were in
-- flight are looked up one by one, as ranges: with `xid = ANY (…)`, PostgreSQL expects to meet one of their events soon
-- and reads all events since `bound`.
CREATE OR REPLACE FUNCTION log_has_news(last log_tick, from_id bigint) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
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

-- The reader of wakes asks for few kinds of events. To pick them from all kinds for each event took longer than to read it.
CREATE FUNCTION wake_kinds_of(kinds text[]) RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN ARRAY(SELECT k FROM unnest(kinds) k WHERE k LIKE 'product.%' OR k = 'wake-more');
ALTER TABLE engine_interest ADD COLUMN wake_kinds text[] NOT NULL GENERATED ALWAYS AS (wake_kinds_of(kinds)) STORED;
COMMENT ON COLUMN engine_interest.wake_kinds IS 'not personal';

CREATE OR REPLACE VIEW reader_account WITH (security_invoker = true) AS
  SELECT 'webhooks'::text AS reader, account_id, NULL::text[] AS kinds
    FROM webhook WHERE state <> 'disabled' AND event_type IS NULL
  UNION ALL
  SELECT 'webhooks', account_id, ARRAY['send-webhook'] FROM engine_interest
  UNION ALL
  SELECT 'automation', account_id, kinds FROM engine_interest
  UNION ALL
  SELECT 'wakes', account_id, wake_kinds FROM engine_interest;
