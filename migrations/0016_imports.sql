-- transactional
-- Imports, and reports among the exports.

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
