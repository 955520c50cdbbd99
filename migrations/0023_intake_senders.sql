-- transactional
-- A message can be in Kafka twice: its sender's library did not hear that it had arrived, and sent it again. Senders number
-- what they send to a partition, and Kafka keeps that order; so what is remembered here is enough to know it again.

-- By topic and partition: the last number of each sender that was done. A sender lives no longer than its process.
CREATE TABLE intake_sender (
  topic     text COLLATE "C" NOT NULL,
  partition smallint NOT NULL,
  sender    uuid NOT NULL,
  number    bigint NOT NULL,
  seen_at   timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (topic, partition, sender),
  FOREIGN KEY (topic, partition) REFERENCES intake_position ON DELETE CASCADE
) WITH (fillfactor = 20);

-- As before; how many partitions there are, the caller says; and where one changes its owner, senders of long ago are
-- forgotten: there are new ones only where a process began, or its brokers were away.
DROP FUNCTION hold_intake(uuid, text, interval);
CREATE FUNCTION hold_intake(me uuid, of_topic text, partitions integer, lease interval)
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
  share := ceil(partitions::numeric / cardinality(alive));
  IF NOT EXISTS (SELECT FROM intake_position WHERE topic = of_topic) THEN
    INSERT INTO intake_position (topic, partition) SELECT of_topic, p FROM generate_series(0, partitions - 1) p
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
  IF FOUND THEN
    DELETE FROM intake_sender s
     USING (SELECT topic, partition, sender FROM intake_sender WHERE seen_at < transaction_timestamp() - interval '35 days'
               FOR UPDATE SKIP LOCKED) old
     WHERE s.topic = old.topic AND s.partition = old.partition AND s.sender = old.sender;
  END IF;
  RETURN QUERY SELECT p.partition, p.generation, p.next_offset FROM intake_position p
                WHERE p.topic = of_topic AND p.owner = me ORDER BY p.partition;
END $$;

-- As before; and it remembers the last number of each sender in what is done now, and answers with those before.
DROP FUNCTION advance_intake(uuid, text, smallint[], bigint[], bigint[], bigint[]);
CREATE FUNCTION advance_intake(me uuid, of_topic text, partitions smallint[], generations bigint[],
                               from_offsets bigint[], to_offsets bigint[],
                               sent_to smallint[], senders uuid[], numbers bigint[])
  RETURNS TABLE (partition smallint, sender uuid, number bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
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

DO $$
DECLARE
  signature text;
  col record;
BEGIN
  FOREACH signature IN ARRAY ARRAY['hold_intake(uuid, text, integer, interval)',
      'advance_intake(uuid, text, smallint[], bigint[], bigint[], bigint[], smallint[], uuid[], bigint[])']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature,
                   CASE WHEN signature LIKE 'advance%' THEN 'shopbell_api' ELSE 'shopbell_worker' END);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name = 'intake_sender'
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name, 'not personal');
  END LOOP;
END $$;
