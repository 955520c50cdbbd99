-- transactional
-- Queued events of many accounts are written by one statement. Row-level security admits one account at a time, so
-- these two functions run with the owner's rights. They name the account in every condition and return no data of
-- contacts. The API role gains no rights: it may already act for any account, one after the other. The worker role
-- would need to read the contacts of all accounts.

-- The accounts that exist, each with the version of its event types. An account whose rows are being deleted does not
-- exist.
CREATE FUNCTION present_accounts(accounts bigint[]) RETURNS TABLE (account_id bigint, definitions_version bigint)
  LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    SELECT a.account_id, coalesce(c.version, 0)
      FROM unnest(accounts) AS asked (account_id)
      JOIN account a ON a.account_id = asked.account_id
      LEFT JOIN event_type_counter c ON c.account_id = a.account_id
     WHERE a.deletion_began_at IS NULL;
END $$;

-- Writes events of many accounts, each under the account beside it. An event is written if its definitions are current,
-- all its identifiers belong to one contact, that contact was not erased lately, and its eventId is new. For all others
-- only the outcome is returned: the caller handles them one by one. `claimed` and `written` are probed by hash: a join
-- would compare every event with every other, because arrays are planned as short.
CREATE FUNCTION take_queued_events(accounts bigint[], versions bigint[], uids uuid[], kinds text[], key_hashes uuid[],
                                   content_hashes uuid[], emails text[], external_ids text[], email_hashes bytea[],
                                   external_hashes bytea[], times timestamptz[], triggers text[], payloads jsonb[])
  RETURNS TABLE (ordinal bigint, outcome text)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH sent AS (
    SELECT s.*
      FROM unnest(accounts, versions, uids, kinds, key_hashes, content_hashes, emails, external_ids, email_hashes,
                  external_hashes, times, triggers, payloads)
           WITH ORDINALITY AS s (account_id, version, uid, kind, key_hash, content_hash, email, external_id, email_hash,
                                 external_hash, occurred_at, trigger, payload, ordinal)
  ), named AS (
    SELECT s.*, coalesce(x.contact_id, e.contact_id) AS contact_id, coalesce(x.lane, e.lane) AS lane,
           CASE WHEN coalesce((SELECT c.version FROM event_type_counter c WHERE c.account_id = s.account_id), 0) <> s.version
                THEN 'types'
                WHEN (s.email IS NOT NULL AND e.contact_id IS NULL)
                  OR (s.external_id IS NOT NULL AND x.contact_id IS NULL)
                  OR e.contact_id <> x.contact_id
                  OR EXISTS (SELECT FROM erasure r WHERE r.account_id = s.account_id AND r.identifier_hash = s.email_hash)
                  OR EXISTS (SELECT FROM erasure r WHERE r.account_id = s.account_id AND r.identifier_hash = s.external_hash)
                THEN 'person' END AS trouble
      FROM sent s
      LEFT JOIN contact e ON e.account_id = s.account_id AND e.email_key = s.email
      LEFT JOIN contact x ON x.account_id = s.account_id AND x.external_id = s.external_id
  ), claimed AS (
    INSERT INTO event_claim (account_id, key_hash, content_hash, uid, contact_id)
    SELECT n.account_id, n.key_hash, n.content_hash, n.uid, n.contact_id FROM named n
     WHERE n.trouble IS NULL AND n.key_hash IS NOT NULL
     ORDER BY n.account_id, n.key_hash, n.ordinal
    ON CONFLICT (account_id, key_hash) DO NOTHING
    RETURNING uid
  ), written AS (
    INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
    SELECT n.account_id, n.uid, n.lane, n.contact_id, n.kind, 1, coalesce(n.occurred_at, transaction_timestamp()),
           n.trigger, 0, 'api', n.payload
      FROM named n
     WHERE n.trouble IS NULL AND (n.key_hash IS NULL OR n.uid IN (SELECT c.uid FROM claimed c))
     ORDER BY n.ordinal
    RETURNING uid
  )
  SELECT n.ordinal, CASE WHEN n.uid IN (SELECT w.uid FROM written w) THEN 'taken' ELSE coalesce(n.trouble, 'claimed') END
    FROM named n;
END $$;

DO $$
DECLARE
  signature text;
BEGIN
  FOREACH signature IN ARRAY ARRAY['present_accounts(bigint[])',
      'take_queued_events(bigint[], bigint[], uuid[], text[], uuid[], uuid[], text[], text[], bytea[], bytea[],
                          timestamptz[], text[], jsonb[])']
  LOOP
    EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', signature);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO shopbell_api', signature);
  END LOOP;
END $$;
