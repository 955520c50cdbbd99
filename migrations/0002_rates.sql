-- transactional
-- How many requests accounts and keys may make, from where a key may be used, and what running processes tell each
-- other about it once a second.

-- Without a number the service's own holds (src/base/limits.h).
ALTER TABLE account
  ADD COLUMN requests_per_second integer CHECK (requests_per_second > 0),
  ADD COLUMN request_burst       integer CHECK (request_burst > 0);

-- A key without numbers has no limit of its own beside the account's; without addresses it works from anywhere.
ALTER TABLE api_key
  ADD COLUMN requests_per_second integer CHECK (requests_per_second > 0),
  ADD COLUMN request_burst       integer CHECK (request_burst > 0),
  ADD COLUMN allowed_addresses   text[] NOT NULL DEFAULT '{}',
  ADD COLUMN version             bigint NOT NULL DEFAULT 1,
  ADD COLUMN updated_at          timestamptz NOT NULL DEFAULT transaction_timestamp();

-- As before, and with what else the check of a key needs.
DROP FUNCTION find_key(bytea[]);
CREATE FUNCTION find_key(hashes bytea[])
  RETURNS TABLE (account_id bigint, key_id uuid, scopes text[], state text, expired boolean, revoked boolean,
                 allowed_addresses text[], account_requests_per_second integer, account_request_burst integer,
                 key_requests_per_second integer, key_request_burst integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    SELECT k.account_id, k.key_id, k.scopes, a.state,
           coalesce(k.expires_at <= transaction_timestamp(), false), k.revoked_at IS NOT NULL,
           k.allowed_addresses, a.requests_per_second, a.request_burst, k.requests_per_second, k.request_burst
      FROM api_key k JOIN account a ON a.account_id = k.account_id
     WHERE k.hash = ANY (hashes);
  END;
REVOKE ALL ON FUNCTION find_key(bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_key(bytea[]) TO shopbell_api;

-- What each process granted and was asked for, of the bucket of an account or of one of its keys: sums since it
-- started counting, and what they were when it told before. Written at most once a second per bucket in use, never per
-- request; a crash may empty the table, for after a minute nothing in it matters. No foreign key, which would lock rows
-- of accounts. Half of each page stays free, so that a new sum takes the place of the old one.
CREATE UNLOGGED TABLE bucket_use (
  account_id    bigint NOT NULL,
  bucket        uuid NOT NULL,    -- a key's id; nil for the account's own
  process       uuid NOT NULL,
  counted_from  bigint NOT NULL,
  used          bigint NOT NULL,
  used_before   bigint NOT NULL,
  wanted        bigint NOT NULL,
  wanted_before bigint NOT NULL,
  remaining     bigint NOT NULL,  -- of the whole bucket, as the process saw it; a debt is negative
  at            timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, bucket, process)
) WITH (fillfactor = 50);
ALTER TABLE bucket_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY every_account ON bucket_use TO shopbell_worker USING (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON bucket_use TO shopbell_worker;

-- When a key was last used, to the minute.
CREATE UNLOGGED TABLE key_use (
  account_id   bigint NOT NULL,
  key_id       uuid NOT NULL,
  last_used_at timestamptz NOT NULL,
  PRIMARY KEY (account_id, key_id),
  FOREIGN KEY (account_id, key_id) REFERENCES api_key ON DELETE CASCADE
) WITH (fillfactor = 50);
ALTER TABLE key_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON key_use TO shopbell_api USING (account_id = current_account());
CREATE POLICY every_account ON key_use TO shopbell_worker USING (true);
GRANT SELECT ON key_use TO shopbell_api;
GRANT SELECT, INSERT, UPDATE ON key_use TO shopbell_worker;

-- Every column says whether it can hold something about a person.
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name IN ('account', 'api_key', 'bucket_use', 'key_use')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name, 'not personal');
  END LOOP;
END $$;
