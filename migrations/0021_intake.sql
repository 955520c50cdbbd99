-- transactional
-- Events that come through Kafka: who writes which partition, how far it has come, and what could not be written.

-- Processes that take part. They live by the heartbeat that each of them has in `process` anyway.
CREATE TABLE intake_process (
  process uuid PRIMARY KEY REFERENCES process ON DELETE CASCADE
);

-- Position and owner in one row, so that to move the one is to check the other. A topic is named by Kafka's own id of
-- it: another of the same name begins anew.
CREATE TABLE intake_position (
  topic       text COLLATE "C" NOT NULL,
  partition   smallint NOT NULL CHECK (partition BETWEEN 0 AND 63),
  owner       uuid,
  generation  bigint NOT NULL DEFAULT 0,
  next_offset bigint,  -- everything before it is done; nothing: from the beginning
  PRIMARY KEY (topic, partition)
) WITH (fillfactor = 20);

-- Once a second, by every process that takes part: takes what is its share and nobody holds, gives back what is more.
-- Answers with all it holds now. While nothing changes it writes nothing.
CREATE FUNCTION hold_intake(me uuid, of_topic text, lease interval)
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
  share := ceil(64.0 / cardinality(alive));
  IF NOT EXISTS (SELECT FROM intake_position WHERE topic = of_topic) THEN
    INSERT INTO intake_position (topic, partition) SELECT of_topic, p FROM generate_series(0, 63) p
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

-- A process that ends says so: others need not wait until it looks dead.
CREATE FUNCTION leave_intake(me uuid) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    DELETE FROM intake_process WHERE process = me;
    UPDATE intake_position SET owner = NULL WHERE owner = me;
  END;

-- The fence, first in every commit: it raises unless all partitions are the caller's and where it left them, so that
-- nothing behind it happens. For the role of requests, since events are written with its rights.
CREATE FUNCTION advance_intake(me uuid, of_topic text, partitions smallint[], generations bigint[],
                               from_offsets bigint[], to_offsets bigint[]) RETURNS void
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE moved integer;
BEGIN
  UPDATE intake_position p SET next_offset = held.to_offset
    FROM unnest(partitions, generations, from_offsets, to_offsets)
      AS held (partition, generation, from_offset, to_offset)
   WHERE p.topic = of_topic AND p.partition = held.partition AND p.owner = me AND p.generation = held.generation
     AND p.next_offset IS NOT DISTINCT FROM held.from_offset;
  GET DIAGNOSTICS moved = ROW_COUNT;
  PERFORM require(moved = cardinality(partitions), 'SB003', 'the partitions have another owner or position');
END $$;

-- Events that were acknowledged and could not be written: as they were sent, and why.
CREATE TABLE rejected_event (
  account_id    bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  id            uuid NOT NULL,  -- the event's
  event_type_id uuid NOT NULL,
  received_at   timestamptz NOT NULL,
  rejected_at   timestamptz NOT NULL DEFAULT transaction_timestamp(),
  code          text NOT NULL,
  problem       json NOT NULL,
  message       json NOT NULL,  -- as it came
  identifiers   bytea[] NOT NULL,  -- keyed hashes of those it names, for erasure
  PRIMARY KEY (account_id, id)
);
CREATE INDEX rejected_event_rejected_at ON rejected_event (rejected_at);
ALTER TABLE rejected_event ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON rejected_event TO shopbell_api USING (account_id = current_account());
GRANT SELECT, INSERT, DELETE ON rejected_event TO shopbell_api;

-- Whoever is erased is gone from here in the same transaction.
CREATE INDEX rejected_event_identifiers ON rejected_event USING gin (identifiers);
CREATE FUNCTION forget_rejected_events() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  DELETE FROM rejected_event
   WHERE account_id = NEW.account_id AND identifiers @> ARRAY[NEW.identifier_hash];
  RETURN NULL;
END $$;
CREATE TRIGGER forget_rejected_events AFTER INSERT OR UPDATE ON erasure
  FOR EACH ROW EXECUTE FUNCTION forget_rejected_events();

-- Those of 35 days, and of people who were erased while theirs were being rejected.
-- Called by any running process, now and then; says how many it deleted, so that the caller goes on while there are more.
CREATE FUNCTION delete_old_rejected_events(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH old AS (
      SELECT account_id, id FROM rejected_event r
       WHERE rejected_at <= transaction_timestamp() - interval '35 days'
          OR EXISTS (SELECT FROM erasure e WHERE e.account_id = r.account_id
                        AND e.identifier_hash = ANY (r.identifiers) AND e.erased_at >= r.received_at)
       LIMIT most FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM rejected_event r USING old o WHERE r.account_id = o.account_id AND r.id = o.id RETURNING 1
    )
    SELECT count(*) FROM gone;
  END;

DO $$
DECLARE
  signature text;
  col record;
BEGIN
  FOREACH signature IN ARRAY ARRAY['hold_intake(uuid, text, interval)', 'leave_intake(uuid)',
      'forget_rejected_events()', 'delete_old_rejected_events(integer)', 'advance_intake(uuid, text, smallint[], bigint[], bigint[], bigint[])']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', signature,
                   CASE WHEN signature LIKE 'advance%' THEN 'shopbell_api' ELSE 'shopbell_worker' END);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('intake_process', 'intake_position', 'rejected_event')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name,
                   CASE WHEN col.table_name = 'rejected_event' AND col.column_name IN ('problem', 'message')
                        THEN 'personal' ELSE 'not personal' END);
  END LOOP;
END $$;
