-- transactional
-- The intake has fewer partitions than the log has groups of lanes: events go to Kafka together with those of the same
-- partition, and by 64 of them nearly every one went alone.

-- As before, but for how many there are.
-- Once a second, by every process that takes part: takes what is its share and nobody holds, gives back what is more.
-- Answers with all it holds now. While nothing changes it writes nothing.
CREATE OR REPLACE FUNCTION hold_intake(me uuid, of_topic text, lease interval)
  RETURNS TABLE (partition smallint, generation bigint, next_offset bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
#variable_conflict use_column
DECLARE
  alive uuid[];
  share integer;
BEGIN
  IF NOT EXISTS (SELECT FROM intake_process WHERE process = me) THEN
    INSERT INTO intake_process (process) SELECT process FROM process WHERE process = me ON CONFLICT DO NOTHING;
  END IF;
  alive := ARRAY(SELECT i.process FROM intake_process i JOIN process p ON p.process = i.process
                  WHERE p.beat_at > transaction_timestamp() - lease);
  IF me <> ALL (alive) THEN RETURN; END IF;  -- others may hold by now what was its own
  share := ceil(8.0 / cardinality(alive));
  IF NOT EXISTS (SELECT FROM intake_position WHERE topic = of_topic) THEN
    INSERT INTO intake_position (topic, partition) SELECT of_topic, p FROM generate_series(0, 7) p
      ON CONFLICT DO NOTHING;
  END IF;
  UPDATE intake_position p SET owner = NULL
    -- Not those that a transaction of ours is just moving: this must not wait for them.
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
  RETURN QUERY SELECT p.partition, p.generation, p.next_offset FROM intake_position p
                WHERE p.topic = of_topic AND p.owner = me ORDER BY p.partition;
END $$;
