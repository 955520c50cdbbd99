-- transactional
-- Imports, reports among the exports, and an erasure that ends however much there is to forget.

ALTER TABLE job DROP CONSTRAINT job_kind_check, ADD CONSTRAINT job_kind_check CHECK (kind IN ('export', 'import'));
GRANT INSERT, UPDATE (job_id) ON stored_file TO shopbell_api;  -- what a request brings

-- What of a file was not taken, until the report of it is written.
CREATE TABLE import_failure (
  account_id bigint NOT NULL,
  job_id     uuid NOT NULL,
  row        bigint NOT NULL,  -- of the data, from 1
  pointer    text NOT NULL,
  code       text NOT NULL,
  detail     text NOT NULL,
  line       text NOT NULL,    -- as it stands in the file
  PRIMARY KEY (account_id, job_id, row)  -- of a job that may be gone: very many rows go in batches
);
ALTER TABLE import_failure ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON import_failure TO shopbell_api USING (account_id = current_account());
CREATE POLICY every_account ON import_failure TO shopbell_worker USING (true);
COMMENT ON COLUMN import_failure.account_id IS 'not personal';
COMMENT ON COLUMN import_failure.job_id IS 'not personal';
COMMENT ON COLUMN import_failure.row IS 'not personal';
COMMENT ON COLUMN import_failure.pointer IS 'not personal';
COMMENT ON COLUMN import_failure.code IS 'not personal';
COMMENT ON COLUMN import_failure.detail IS 'personal';
COMMENT ON COLUMN import_failure.line IS 'personal';
GRANT SELECT, INSERT ON import_failure TO shopbell_api;
GRANT SELECT, DELETE ON import_failure TO shopbell_worker;
-- The rows of an import are written with the rights of a request, in one transaction with how far it has come.
GRANT UPDATE (done, total, result) ON job TO shopbell_api;

-- Reports of events ask when things happened. That is nearly the order in which they came, so the smallest of all indexes
-- tells which parts of which months to read; values that are far off, told late, do not blur it.
CREATE INDEX event_occurred ON event USING brin (occurred_at timestamptz_minmax_multi_ops) WITH (pages_per_range = 64);
-- How contacts come and go is asked up to the present day, over however many other events.
CREATE INDEX event_growth ON event (account_id, received_at)
  WHERE kind IN ('contact.created', 'contact.merged', 'contact.deleted', 'contact.subscribed', 'contact.unsubscribed');

-- Erased people whose events still have to be gone through. What a request can forget it forgets at once; the rest is
-- forgotten from here, and all of it is looked through again later: an event on its way when its person was erased knows
-- nothing of it. By id alone; up to where this round has come.
CREATE TABLE erased_contact (
  account_id  bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  contact_id  uuid NOT NULL,
  erased_at   timestamptz NOT NULL DEFAULT transaction_timestamp(),
  due_at      timestamptz NOT NULL DEFAULT transaction_timestamp(),
  round       smallint NOT NULL DEFAULT 1,
  kind        text COLLATE "C",
  received_at timestamptz,
  id          bigint,
  PRIMARY KEY (account_id, contact_id)
);
CREATE INDEX erased_contact_due ON erased_contact (due_at);
ALTER TABLE erased_contact ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON erased_contact TO shopbell_api, shopbell_reader USING (account_id = current_account());
GRANT SELECT ON erased_contact TO shopbell_reader;
GRANT SELECT, INSERT ON erased_contact TO shopbell_api;
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name = 'erased_contact'
  LOOP
    EXECUTE format('COMMENT ON COLUMN erased_contact.%I IS ''not personal''', col.column_name);
  END LOOP;
END $$;

-- Called by any running process, now and then. Goes through the next events of one erased person; says how many, and one
-- more, so that the caller goes on while somebody is due.
CREATE FUNCTION forget_erased(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  person erased_contact;
  seen bigint;
BEGIN
  SELECT * INTO person FROM erased_contact
   WHERE due_at <= transaction_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH batch AS MATERIALIZED (
    SELECT e.kind, e.received_at, e.id FROM event e
     WHERE e.account_id = person.account_id AND e.contact_id = person.contact_id
       AND (e.kind, e.received_at, e.id) > (coalesce(person.kind, ''), coalesce(person.received_at, '-infinity'),
                                            coalesce(person.id, 0))
     ORDER BY e.kind, e.received_at, e.id LIMIT most
  ), forgotten AS (
    UPDATE event e SET payload = NULL FROM batch b
     WHERE e.account_id = person.account_id AND e.received_at = b.received_at AND e.id = b.id
       AND e.payload IS NOT NULL AND e.kind <> 'contact.deleted'
  )
  SELECT last.kind, last.received_at, last.id, (SELECT count(*) FROM batch)
    INTO person.kind, person.received_at, person.id, seen
    FROM (SELECT) AS one
    LEFT JOIN (SELECT * FROM batch ORDER BY kind DESC, received_at DESC, id DESC LIMIT 1) AS last ON true;
  IF seen < most THEN
    person.round := person.round + 1;
    person.due_at := person.erased_at + CASE person.round WHEN 2 THEN interval '10 minutes' ELSE interval '23 hours' END;
    person.kind := NULL;
    person.received_at := NULL;
    person.id := NULL;
  END IF;
  IF person.round > 3 THEN
    DELETE FROM erased_contact WHERE account_id = person.account_id AND contact_id = person.contact_id;
  ELSE
    UPDATE erased_contact
       SET due_at = person.due_at, round = person.round, kind = person.kind, received_at = person.received_at, id = person.id
     WHERE account_id = person.account_id AND contact_id = person.contact_id;
  END IF;
  RETURN seen + 1;
END $$;
REVOKE ALL ON FUNCTION forget_erased(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_erased(integer) TO shopbell_worker;
