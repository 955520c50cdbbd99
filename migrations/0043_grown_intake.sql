-- transactional
-- The number of the intake's partitions is configured. A topic may get more of them: share_intake and hold_intake add
-- their rows.

-- As before, but it adds missing partitions, and shares those that the database knows: for a while a process may be
-- configured with fewer.
CREATE OR REPLACE FUNCTION share_intake(me uuid, of_topic text, partitions integer, lease interval) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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

-- As before, but for partitions that were added.
CREATE OR REPLACE FUNCTION hold_intake(me uuid, of_topic text, partitions integer, lease interval, newest_key integer,
                                       quiet interval)
  RETURNS TABLE (partition smallint, generation bigint, next_offset bigint, cutover_due boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
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
