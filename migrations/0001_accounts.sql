-- transactional
-- Accounts and their keys, and the walls between accounts that every later table stands behind.
--
-- Roles, made by `shopbell init`:
--   shopbell_owner   owns everything; used by `shopbell migrate` alone
--   shopbell_api     what requests run as: sees the one account named by the setting shopbell.account
--   shopbell_worker  work that spans accounts, on the tables named for it
--   shopbell_reader  reports and exports: reads one account

REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO shopbell_api, shopbell_worker, shopbell_reader;
GRANT SELECT ON schema_migration TO shopbell_api, shopbell_worker, shopbell_reader;

-- The account whose rows the current group may see; none when nothing is set.
CREATE FUNCTION current_account() RETURNS bigint
  LANGUAGE sql STABLE PARALLEL SAFE
  RETURN nullif(current_setting('shopbell.account', true), '')::bigint;

-- A guard inside a pipelined group: the group is committed before its results are seen, so what must not go on
-- has to raise. `state` is a SQLSTATE of class SB.
CREATE FUNCTION require(condition boolean, state text, message text) RETURNS void
  LANGUAGE plpgsql STABLE AS $$
BEGIN
  IF condition IS NOT TRUE THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
END $$;

-- One row per account; the store is part of it. A test account points to the live one it belongs to.
CREATE TABLE account (
  account_id         bigint PRIMARY KEY,
  live_account_id    bigint REFERENCES account,
  id                 uuid NOT NULL,
  state              text NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'suspended')),
  name               text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  url                text CHECK (octet_length(url) <= 2048),
  time_zone          text NOT NULL,
  currency           text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  locale             text NOT NULL,
  country            text CHECK (country ~ '^[A-Z]{2}$'),
  domains            text[] NOT NULL DEFAULT '{}',
  marketing_requires text NOT NULL DEFAULT 'subscribed' CHECK (marketing_requires IN ('subscribed', 'notUnsubscribed')),
  marketing_per_day  integer CHECK (marketing_per_day >= 0),
  marketing_per_week integer CHECK (marketing_per_week >= 0),
  version            bigint NOT NULL DEFAULT 1,
  created_at         timestamptz NOT NULL DEFAULT transaction_timestamp(),
  updated_at         timestamptz NOT NULL DEFAULT transaction_timestamp()
);
CREATE INDEX account_live ON account (live_account_id) WHERE live_account_id IS NOT NULL;

-- What the store holds, counted now and then by whatever process runs; as_of says when.
CREATE TABLE store_usage (
  account_id        bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  contacts          bigint NOT NULL DEFAULT 0,
  products          bigint NOT NULL DEFAULT 0,
  purchases         bigint NOT NULL DEFAULT 0,
  events_this_month bigint NOT NULL DEFAULT 0,
  as_of             timestamptz NOT NULL DEFAULT transaction_timestamp()
);

-- Only a keyed hash of a key is kept.
CREATE TABLE api_key (
  account_id   bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  key_id       uuid NOT NULL,
  name         text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  hash         bytea NOT NULL CHECK (octet_length(hash) = 32),
  hint         text NOT NULL,
  scopes       text[] NOT NULL,
  created_at   timestamptz NOT NULL DEFAULT transaction_timestamp(),
  expires_at   timestamptz,
  revoked_at   timestamptz,
  PRIMARY KEY (account_id, key_id)
);
CREATE UNIQUE INDEX api_key_hash ON api_key (hash);

-- Who a key belongs to: the one question that is asked before the account is known. Asked with the key's hash under
-- every key of the ring, it can only tell of keys whose secret the caller holds.
CREATE FUNCTION find_key(hashes bytea[])
  RETURNS TABLE (account_id bigint, key_id uuid, scopes text[], state text, expired boolean, revoked boolean)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    SELECT k.account_id, k.key_id, k.scopes, a.state,
           coalesce(k.expires_at <= transaction_timestamp(), false), k.revoked_at IS NOT NULL
      FROM api_key k JOIN account a ON a.account_id = k.account_id
     WHERE k.hash = ANY (hashes);
  END;
REVOKE ALL ON FUNCTION find_key(bytea[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION find_key(bytea[]) TO shopbell_api;

ALTER TABLE account ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON account TO shopbell_api, shopbell_reader USING (account_id = current_account());
CREATE POLICY every_account ON account TO shopbell_worker USING (true);
GRANT SELECT ON account TO shopbell_api, shopbell_reader;
GRANT SELECT, INSERT ON account TO shopbell_worker;

ALTER TABLE store_usage ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON store_usage TO shopbell_api, shopbell_reader USING (account_id = current_account());
CREATE POLICY every_account ON store_usage TO shopbell_worker USING (true);
GRANT SELECT ON store_usage TO shopbell_api, shopbell_reader;
GRANT SELECT, INSERT ON store_usage TO shopbell_worker;

ALTER TABLE api_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON api_key TO shopbell_api, shopbell_reader USING (account_id = current_account());
CREATE POLICY every_account ON api_key TO shopbell_worker USING (true);
GRANT SELECT, INSERT ON api_key TO shopbell_worker;

-- Every column says whether it can hold something about a person. A test fails on one that does not.
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name IN ('account', 'store_usage', 'api_key')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name, 'not personal');
  END LOOP;
END $$;
