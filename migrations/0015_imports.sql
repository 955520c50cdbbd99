-- transactional
-- Imports: what of their files was not taken, until the report of it is written.

CREATE TABLE import_failure (
  account_id bigint NOT NULL,
  job_id     uuid NOT NULL,
  row        bigint NOT NULL,  -- of the data, from 1
  pointer    text NOT NULL,
  code       text NOT NULL,
  detail     text NOT NULL,
  line       text NOT NULL,    -- as it stands in the file
  PRIMARY KEY (account_id, job_id, row),
  FOREIGN KEY (account_id, job_id) REFERENCES job ON DELETE CASCADE
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
GRANT SELECT, INSERT, DELETE ON import_failure TO shopbell_api;
GRANT SELECT, DELETE ON import_failure TO shopbell_worker;
-- The rows of an import are written with the rights of a request, in one transaction with how far it has come.
GRANT UPDATE (done, total, result) ON job TO shopbell_api;
