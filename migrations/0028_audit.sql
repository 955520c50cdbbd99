-- transactional
-- The audit trail: who changed what, when and from where. A row is written in the transaction of the change and is never
-- updated. Rows hold names of members, never their values.

-- Account 0 holds the rows about the installation itself; no account has this number. There is no reference to the
-- account: its rows outlive it. `audit_id` is a UUID of version 7 made from `at`, so that its order is the order of time.
CREATE TABLE audit (
  account_id bigint NOT NULL,
  audit_id   uuid NOT NULL,
  at         timestamptz NOT NULL,
  actor      text COLLATE "C" NOT NULL
             CHECK (actor IN ('key', 'user', 'command', 'import', 'queue', 'engine', 'system')),
  actor_id   uuid,           -- of a key
  operation  text COLLATE "C" NOT NULL,
  object     text COLLATE "C" NOT NULL,
  members    text[] NOT NULL,
  request_id text,
  address    text,           -- of the client
  PRIMARY KEY (account_id, audit_id)
);
CREATE INDEX audit_at ON audit (at);  -- for the deletion of old rows

-- Append-only: no role may update or delete. The API role never sees the installation's rows.
ALTER TABLE audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON audit TO shopbell_api USING (account_id = current_account() AND account_id <> 0);
CREATE POLICY every_account ON audit TO shopbell_worker USING (true);
GRANT SELECT, INSERT ON audit TO shopbell_api, shopbell_worker;

-- Deletes a batch of the rows that are older than 400 days, and returns their number. The period is fixed here, so that a
-- role that may call the function cannot shorten the trail.
CREATE FUNCTION delete_old_audit(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH old AS (
      SELECT account_id, audit_id FROM audit
       WHERE at <= transaction_timestamp() - interval '400 days'
       ORDER BY at LIMIT most FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM audit a USING old o WHERE a.account_id = o.account_id AND a.audit_id = o.audit_id RETURNING 1
    )
    SELECT count(*) FROM gone;
  END;
REVOKE ALL ON FUNCTION delete_old_audit(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_audit(integer) TO shopbell_worker;

DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'audit'
  LOOP
    EXECUTE format('COMMENT ON COLUMN audit.%I IS %L', col.column_name,
                   CASE col.column_name WHEN 'address' THEN 'personal' ELSE 'not personal' END);
  END LOOP;
END $$;
