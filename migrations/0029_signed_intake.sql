-- transactional
-- Messages of the intake carry a signature. Messages of processes that do not sign yet are accepted until all of these
-- processes have been gone for a while: then each partition records the offset from which on signatures are required.

CREATE TABLE intake_signing (
  topic       text COLLATE "C" NOT NULL,
  partition   smallint NOT NULL,
  unsigned_at timestamptz NOT NULL DEFAULT transaction_timestamp(),  -- when a process that does not sign was last seen
  signed_from bigint,                                                -- offset; null: unsigned messages are accepted
  ring_key    integer NOT NULL DEFAULT 0,                            -- id of the newest key that may sign messages
  PRIMARY KEY (topic, partition),
  FOREIGN KEY (topic, partition) REFERENCES intake_position ON DELETE CASCADE
);
INSERT INTO intake_signing (topic, partition) SELECT topic, partition FROM intake_position;
GRANT SELECT ON intake_signing TO shopbell_api;

-- Id of the newest key in the process's keyring; null: the process does not sign messages.
ALTER TABLE intake_process ADD COLUMN ring_key integer;

-- The body of hold_intake: takes the process's share of the partitions and returns those above it. A process whose
-- keyring lacks the newest key gets no share, because it could not verify all messages. Returns false if the process has
-- no heartbeat.
CREATE FUNCTION share_intake(me uuid, of_topic text, partitions integer, lease interval) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
  newest integer := coalesce((SELECT max(ring_key) FROM intake_signing WHERE topic = of_topic), 0);
  alive uuid[];
  share integer;
BEGIN
  alive := ARRAY(SELECT i.process FROM intake_process i JOIN process p ON p.process = i.process
                  WHERE p.beat_at > transaction_timestamp() - lease AND (i.ring_key IS NULL OR i.ring_key >= newest));
  IF me <> ALL (alive) THEN RETURN false; END IF;  -- others may own its partitions by now
  share := ceil(partitions::numeric / cardinality(alive));
  IF NOT EXISTS (SELECT FROM intake_position WHERE topic = of_topic) THEN
    INSERT INTO intake_position (topic, partition) SELECT of_topic, p FROM generate_series(0, partitions - 1) p
      ON CONFLICT DO NOTHING;
  END IF;
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

-- Called by processes of the previous release, which do not sign: their messages stay acceptable.
CREATE OR REPLACE FUNCTION hold_intake(me uuid, of_topic text, partitions integer, lease interval)
  RETURNS TABLE (partition smallint, generation bigint, next_offset bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
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

-- Once a second, by every process with an intake: renews and acquires leases, and returns all partitions that it holds.
-- Writes nothing while nothing changes. `cutover_due`: no process without signatures was seen for the time `quiet`.
CREATE FUNCTION hold_intake(me uuid, of_topic text, partitions integer, lease interval, newest_key integer, quiet interval)
  RETURNS TABLE (partition smallint, generation bigint, next_offset bigint, cutover_due boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
BEGIN
  PERFORM require(NOT EXISTS (SELECT FROM intake_signing WHERE topic = of_topic AND ring_key > newest_key), 'SB003',
                  'another process has a newer keyring: copy it to this process and restart it');
  IF NOT EXISTS (SELECT FROM intake_process WHERE process = me AND ring_key = newest_key) THEN
    INSERT INTO intake_process (process, ring_key) SELECT process, newest_key FROM process WHERE process = me
      ON CONFLICT (process) DO UPDATE SET ring_key = excluded.ring_key;
  END IF;
  IF NOT share_intake(me, of_topic, partitions, lease) THEN RETURN; END IF;
  IF NOT EXISTS (SELECT FROM intake_signing WHERE topic = of_topic) THEN
    -- A new topic has no unsigned messages, unless a process that does not sign is running.
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

-- Requires signatures from the offset on, unless a process that does not sign was seen meanwhile.
CREATE FUNCTION require_signatures(of_topic text, of_partition smallint, from_offset bigint, quiet interval) RETURNS boolean
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH changed AS (
      UPDATE intake_signing SET signed_from = from_offset
       WHERE topic = of_topic AND partition = of_partition AND signed_from IS NULL
         AND unsigned_at < transaction_timestamp() - quiet
      RETURNING 1
    )
    SELECT EXISTS (SELECT FROM changed);
  END;

DO $$
DECLARE
  signature text;
  col record;
BEGIN
  FOREACH signature IN ARRAY ARRAY['share_intake(uuid, text, integer, interval)',
      'hold_intake(uuid, text, integer, interval, integer, interval)',
      'require_signatures(text, smallint, bigint, interval)']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    IF signature NOT LIKE 'share%' THEN EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_worker', signature); END IF;
  END LOOP;
  FOR col IN SELECT column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name = 'intake_signing'
  LOOP
    EXECUTE format('COMMENT ON COLUMN intake_signing.%I IS %L', col.column_name, 'not personal');
  END LOOP;
  COMMENT ON COLUMN intake_process.ring_key IS 'not personal';
END $$;
