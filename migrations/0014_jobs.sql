-- transactional
-- Jobs: work that outlives the request that asked for it, and the files that it leaves.

-- Any process takes a job by a lease, and with it the next generation: whoever held it before, and is merely slow, finds
-- every one of its effects refused. `done` and `total` are rows; `options` and `result` are the kind's own.
CREATE TABLE job (
  account_id   bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  job_id       uuid NOT NULL,
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('export')),
  type         text COLLATE "C" NOT NULL,
  state        text COLLATE "C" NOT NULL DEFAULT 'queued'
               CHECK (state IN ('queued', 'inProgress', 'finished', 'error', 'cancelled', 'expired')),
  attempt      integer NOT NULL DEFAULT 0,
  generation   bigint NOT NULL DEFAULT 0,
  leased_until timestamptz,
  done         bigint NOT NULL DEFAULT 0,
  total        bigint,
  options      jsonb NOT NULL,
  result       jsonb,
  error        jsonb,
  key_id       uuid,
  queued_at    timestamptz NOT NULL,
  updated_at   timestamptz NOT NULL,
  started_at   timestamptz,
  finished_at  timestamptz,
  expires_at   timestamptz,
  PRIMARY KEY (account_id, job_id),
  CHECK ((state = 'inProgress') = (leased_until IS NOT NULL))
) WITH (fillfactor = 50);
CREATE INDEX job_unfinished ON job (queued_at, job_id) WHERE state IN ('queued', 'inProgress');
CREATE INDEX job_ended ON job (finished_at) WHERE finished_at IS NOT NULL;

-- Every file the service has stored or is about to: written down before its first byte is, so that none is forgotten
-- whatever dies when. No reference to the job or the account: a file outlives both until it is removed.
CREATE TABLE stored_file (
  account_id bigint NOT NULL,
  name       text COLLATE "C" NOT NULL,
  job_id     uuid NOT NULL,
  remove_at  timestamptz NOT NULL,
  PRIMARY KEY (account_id, name)
);
CREATE INDEX stored_file_due ON stored_file (remove_at);
CREATE INDEX stored_file_job ON stored_file (account_id, job_id);

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['job', 'stored_file'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api USING (account_id = current_account())', name);
    EXECUTE format('CREATE POLICY every_account ON %I TO shopbell_worker USING (true)', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_api, shopbell_worker', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name IN ('job', 'stored_file')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
GRANT INSERT, DELETE ON job TO shopbell_api;
GRANT UPDATE (state, generation, leased_until, finished_at, updated_at) ON job TO shopbell_api;  -- to cancel
GRANT UPDATE (remove_at) ON stored_file TO shopbell_api;
GRANT UPDATE, DELETE ON job TO shopbell_worker;
GRANT INSERT, UPDATE, DELETE ON stored_file TO shopbell_worker;
GRANT INSERT ON event TO shopbell_worker;  -- that a job has finished

-- A purchase that becomes another's by a merge, or nobody's by an erasure, is told of by no event of its own: it
-- remembers when, so that an export of what changed since has it.
ALTER TABLE purchase ADD COLUMN moved_xid xid8;
COMMENT ON COLUMN purchase.moved_xid IS 'not personal';
CREATE INDEX purchase_moved ON purchase (account_id, moved_xid) WHERE moved_xid IS NOT NULL;
CREATE FUNCTION note_move() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.moved_xid := pg_current_xact_id();
  RETURN NEW;
END $$;
CREATE TRIGGER purchase_moved BEFORE UPDATE OF contact_id ON purchase FOR EACH ROW
  WHEN (OLD.contact_id IS DISTINCT FROM NEW.contact_id) EXECUTE FUNCTION note_move();
