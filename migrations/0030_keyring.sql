-- transactional
-- Keys of the keyring can be retired: the database records which of them it still depends on.

-- Ids of the keys in the process's keyring; null: a process of a release that does not report them.
ALTER TABLE process ADD COLUMN keyring_keys integer[];
COMMENT ON COLUMN process.keyring_keys IS 'not personal';

-- The heartbeat, with the process's keyring.
CREATE FUNCTION beat(me uuid, running text, lease interval, readers text[], keys integer[])
  RETURNS TABLE (reader text, lane_group smallint, generation bigint, tick bigint, through bigint, after_id bigint)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  RETURN QUERY SELECT b.* FROM beat(me, running, lease, readers) b;
  UPDATE process p SET keyring_keys = keys WHERE p.process = me AND p.keyring_keys IS DISTINCT FROM keys;
END $$;
REVOKE ALL ON FUNCTION beat(uuid, text, interval, text[], integer[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION beat(uuid, text, interval, text[], integer[]) TO shopbell_worker;

-- Id of the key under which the hash was made; null: not known.
ALTER TABLE api_key ADD COLUMN ring_key integer;
COMMENT ON COLUMN api_key.ring_key IS 'not personal';

-- As before, and returns the hash with the id of its key.
DROP FUNCTION find_key(bytea[]);
CREATE FUNCTION find_key(hashes bytea[])
  RETURNS TABLE (account_id bigint, key_id uuid, scopes text[], state text, expired boolean, revoked boolean,
                 allowed_addresses text[], account_requests_per_second integer, account_request_burst integer,
                 key_requests_per_second integer, key_request_burst integer, hash bytea, ring_key integer)
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    SELECT k.account_id, k.key_id, k.scopes, a.state, coalesce(k.expires_at <= transaction_timestamp(), false),
           k.revoked_at IS NOT NULL, k.allowed_addresses, a.requests_per_second, a.request_burst,
           k.requests_per_second, k.request_burst, k.hash, k.ring_key
      FROM api_key k JOIN account a ON a.account_id = k.account_id
     WHERE k.hash = ANY (hashes);
  END;

-- Replaces the hash of an API key by one under another key of the keyring. Does nothing while a running process lacks
-- that key, because it could not find the API key any more.
CREATE FUNCTION rehash_key(old_hash bytea, new_hash bytea, new_key integer) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    UPDATE api_key SET hash = new_hash, ring_key = new_key
     WHERE hash = old_hash
       AND NOT EXISTS (SELECT FROM process p WHERE p.beat_at > transaction_timestamp() - interval '1 minute'
                          AND NOT coalesce(new_key = ANY (p.keyring_keys), false));
  END;

DO $$
DECLARE signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['find_key(bytea[])', 'rehash_key(bytea, bytea, integer)'] LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_api', signature);
  END LOOP;
END $$;
