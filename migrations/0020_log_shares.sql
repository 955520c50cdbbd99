-- transactional
-- Processes may have different readers: one whose Kafka is not configured tells Kafka nothing. The lanes of a reader are
-- shared by those that have it, so that none is left to somebody who does not read it.

ALTER TABLE process ADD COLUMN readers text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN process.readers IS 'not personal';

-- As before, but for whose share it is.
-- Once a second, by every process: it lives, takes of every reader what is its share and nobody holds, gives back what
-- is more, and makes ticks when nobody else does. Answers with all it holds now.
CREATE OR REPLACE FUNCTION beat(me uuid, running text, lease interval, readers text[])
  RETURNS TABLE (reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
  alive uuid[];
  share integer;
  name  text;
BEGIN
  INSERT INTO process (process, version, readers) VALUES (me, running, readers)
    ON CONFLICT (process) DO UPDATE SET beat_at = transaction_timestamp(), readers = excluded.readers;
  alive := ARRAY(SELECT process FROM process WHERE beat_at > transaction_timestamp() - lease);
  UPDATE log_ticker SET owner = me, generation = generation + 1 WHERE owner IS NULL OR owner <> ALL (alive);
  FOREACH name IN ARRAY readers LOOP
    share := ceil(64.0 / (SELECT count(*) FROM process p WHERE p.process = ANY (alive) AND name = ANY (p.readers)));
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
