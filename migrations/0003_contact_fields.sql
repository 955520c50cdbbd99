-- transactional
-- Contact fields, and the claims that make a repeated request happen once.

-- What was claimed: the answer of a request with an Idempotency-Key. Hash-partitioned, so that uniqueness is a plain
-- constraint with no boundary in time and no partition grows large; expired rows go in small batches.
CREATE TABLE claim (
  account_id   bigint NOT NULL,
  kind         text NOT NULL CHECK (kind IN ('answer')),
  key_hash     bytea NOT NULL CHECK (octet_length(key_hash) = 32),
  request_hash bytea NOT NULL,
  answer       bytea NOT NULL,
  made_at      timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, kind, key_hash)
) PARTITION BY HASH (key_hash);
ALTER TABLE claim ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON claim TO shopbell_api USING (account_id = current_account());
GRANT SELECT, INSERT, UPDATE ON claim TO shopbell_api;

DO $$
BEGIN
  FOR i IN 0..7 LOOP
    EXECUTE format('CREATE TABLE claim_%s PARTITION OF claim FOR VALUES WITH (MODULUS 8, REMAINDER %s)', i, i);
    EXECUTE format('ALTER TABLE claim_%s ENABLE ROW LEVEL SECURITY', i);
    EXECUTE format('CREATE INDEX claim_%s_made_at ON claim_%s (made_at)', i, i);
  END LOOP;
END $$;

-- Called by any running process, now and then; says how many it deleted, so that the caller goes on while there are more.
CREATE FUNCTION delete_expired_claims(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH expired AS (
      SELECT account_id, kind, key_hash FROM claim
       WHERE made_at <= transaction_timestamp() - interval '7 days'
       LIMIT most FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM claim c USING expired e
       WHERE c.account_id = e.account_id AND c.kind = e.kind AND c.key_hash = e.key_hash
      RETURNING 1
    )
    SELECT count(*) FROM gone;
  END;
REVOKE ALL ON FUNCTION delete_expired_claims(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_expired_claims(integer) TO shopbell_worker;

-- Fields a store adds to its contacts. Values are kept by the field's number, which is never used again: what was
-- written for a field that is gone can never turn up in a later one of the same id.
CREATE TABLE contact_field (
  account_id    bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  id            text COLLATE "C" NOT NULL CHECK (id ~ '^[a-z][a-zA-Z0-9_]{0,63}$'),
  number        bigint NOT NULL CHECK (number > 0),
  name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  type          text NOT NULL,
  indexed       boolean NOT NULL,
  required      boolean NOT NULL,
  default_value json,
  options       json NOT NULL DEFAULT '[]',
  max_length    integer,
  min           json,
  max           json,
  version       bigint NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, id),
  CHECK (NOT required OR default_value IS NOT NULL)
);
CREATE UNIQUE INDEX contact_field_number ON contact_field (account_id, number);

-- The last number given out. Its row is locked by whoever creates a field, so the limits per account are exact.
CREATE TABLE contact_field_counter (
  account_id  bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  last_number bigint NOT NULL
);

-- Fields that are gone and whose values may still be there.
CREATE TABLE dropped_contact_field (
  account_id bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  number     bigint NOT NULL,
  dropped_at timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, number)
);

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['contact_field', 'contact_field_counter', 'dropped_contact_field'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
    EXECUTE format('CREATE POLICY every_account ON %I TO shopbell_worker USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_worker, shopbell_reader', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND (table_name LIKE '%contact\_field%' OR table_name LIKE 'claim%')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name,
                   CASE WHEN col.column_name = 'answer' THEN 'personal' ELSE 'not personal' END);
  END LOOP;
END $$;
GRANT SELECT, INSERT, UPDATE, DELETE ON contact_field TO shopbell_api;
GRANT SELECT, INSERT, UPDATE ON contact_field_counter TO shopbell_api;
GRANT INSERT ON dropped_contact_field TO shopbell_api;
