-- transactional
-- Custom events: what a store tells of its contacts beyond what the service knows by itself.

-- Ids that senders gave their events, for 35 days: the same one again is the same event. Hashes only, 16 bytes each,
-- of the account, the type and the id. Hash-partitioned: uniqueness is a plain constraint with no boundary in time.
CREATE TABLE event_claim (
  account_id   bigint NOT NULL,
  key_hash     uuid NOT NULL,
  content_hash uuid NOT NULL,
  uid          uuid NOT NULL,
  contact_id   uuid NOT NULL,
  made_at      timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, key_hash)
) PARTITION BY HASH (key_hash);
ALTER TABLE event_claim ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON event_claim TO shopbell_api USING (account_id = current_account());
GRANT SELECT, INSERT ON event_claim TO shopbell_api;

DO $$
DECLARE col text;
BEGIN
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE event_claim_%s PARTITION OF event_claim FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i);
    EXECUTE format('ALTER TABLE event_claim_%s ENABLE ROW LEVEL SECURITY', i);
    EXECUTE format('CREATE INDEX event_claim_%s_made_at ON event_claim_%s (made_at)', i, i);
  END LOOP;
  FOR col IN SELECT format('%I.%I', table_name, column_name) FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name ~ '^event_claim(_[0-7])?$'
  LOOP
    EXECUTE format('COMMENT ON COLUMN %s IS %L', col, 'not personal');
  END LOOP;
END $$;

-- Called by any running process, now and then; says how many it deleted, so that the caller goes on while there are more.
CREATE FUNCTION delete_expired_event_claims(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH expired AS (
      SELECT account_id, key_hash FROM event_claim
       WHERE made_at <= transaction_timestamp() - interval '35 days'
       LIMIT most FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM event_claim c USING expired e
       WHERE c.account_id = e.account_id AND c.key_hash = e.key_hash
      RETURNING 1
    )
    SELECT count(*) FROM gone;
  END;
REVOKE ALL ON FUNCTION delete_expired_event_claims(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_event_claims(integer) TO shopbell_worker;
