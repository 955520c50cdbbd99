-- transactional
-- Deletion of accounts. An account is suspended at once and marked for deletion at a later time; until then the mark
-- can be removed. Then its rows are deleted in batches, its files are removed, and at last the account's row goes.

ALTER TABLE account
  ADD COLUMN delete_at          timestamptz,  -- end of the grace period; null unless marked for deletion
  ADD COLUMN state_on_restore   text,         -- the state before the mark
  ADD COLUMN deletion_began_at  timestamptz,  -- no way back from here
  ADD COLUMN deletion_step_at   timestamptz,  -- when the next step is due
  ADD COLUMN deleted_rows       bigint NOT NULL DEFAULT 0,
  -- `account resume` of the previous release must not reopen an account that is about to be deleted.
  ADD CONSTRAINT account_marked_check CHECK (delete_at IS NULL OR state = 'suspended'),
  ADD CONSTRAINT account_step_check
    CHECK (num_nulls(delete_at, state_on_restore, deletion_step_at) IN (0, 3) AND
           (deletion_began_at IS NULL OR delete_at IS NOT NULL));
CREATE INDEX account_deletion ON account (deletion_step_at) WHERE deletion_step_at IS NOT NULL;

COMMENT ON COLUMN account.delete_at IS 'not personal';
COMMENT ON COLUMN account.state_on_restore IS 'not personal';
COMMENT ON COLUMN account.deletion_began_at IS 'not personal';
COMMENT ON COLUMN account.deletion_step_at IS 'not personal';
COMMENT ON COLUMN account.deleted_rows IS 'not personal';
GRANT UPDATE (delete_at, state_on_restore, deletion_step_at) ON account TO shopbell_worker;

-- The tables whose rows are deleted with their account, in this order: a table comes before those that its foreign keys
-- refer to. A test fails if a table with an account_id is missing here. `account` and `stored_file` are the exceptions:
-- delete_account_rows() deletes the first at the end; workers delete the second together with the files.
CREATE FUNCTION account_tables() RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN ARRAY[
    -- Rows that let others write more rows go first: keys, jobs, endpoints.
    'key_use', 'api_key', 'job', 'webhook',
    'workflow_reference', 'workflow_version', 'workflow', 'template', 'event_type', 'event_type_counter', 'integration',
    'coupon_claim', 'coupon_redemption', 'coupon', 'coupon_slot', 'coupon_set', 'purchase', 'consent', 'merged_contact',
    'contact_facet', 'contact', 'contact_field', 'contact_field_counter', 'product',
    'event', 'webhook_delivery', 'webhook_chain', 'event_claim', 'claim', 'import_failure', 'rejected_event',
    'erased_contact', 'erasure', 'suppression', 'dropped_contact_field', 'dropped_coupon_set', 'dropped_webhook',
    'log_parked', 'bucket_use', 'store_usage', 'audit'
    -- A migration that adds a table with an account_id replaces this function, with the table in its place.
  ];

-- Takes one step of a deletion that is due, and returns how many rows it deleted: 0 if it has to wait, null if none is
-- due. Any process may call this at any time: it skips accounts that another one is working on, and locked rows.
--   settles       no request, job or reader that began before the deletion still writes this long after
--   upload_lease  files kept longer than this belong to jobs; uploads drop their own files, or their lease ends
CREATE FUNCTION delete_account_rows(most integer, settles interval, upload_lease interval) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  -- Plain index scans stop at the limit; a bitmap would collect all rows of the account for each batch.
  SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  doomed account;
  part   regclass;
  gone   bigint;
  total  bigint := 0;
BEGIN
  SELECT * INTO doomed FROM account
   WHERE deletion_step_at <= transaction_timestamp() AND delete_at <= transaction_timestamp()
   ORDER BY deletion_step_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  UPDATE stored_file SET remove_at = transaction_timestamp()
   WHERE account_id = doomed.account_id AND remove_at > transaction_timestamp() + upload_lease;
  FOR part IN  -- the table, or its partitions: a ctid is unique within one partition only
    SELECT coalesce(i.inhrelid, t.name::regclass)
      FROM unnest(account_tables()) WITH ORDINALITY AS t (name, number)
      LEFT JOIN pg_inherits i ON i.inhparent = t.name::regclass
     ORDER BY t.number
  LOOP
    EXECUTE format('DELETE FROM %s WHERE ctid = ANY (ARRAY (
                      SELECT ctid FROM %s WHERE account_id = $1 LIMIT $2 FOR UPDATE SKIP LOCKED))', part, part)
      USING doomed.account_id, most - total;
    GET DIAGNOSTICS gone = ROW_COUNT;
    total := total + gone;
    EXIT WHEN total >= most;
  END LOOP;
  IF total = 0 AND doomed.deletion_began_at <= transaction_timestamp() - settles
     AND NOT EXISTS (SELECT FROM stored_file WHERE account_id = doomed.account_id)
     AND NOT EXISTS (SELECT FROM account WHERE live_account_id = doomed.account_id)
     AND NOT has_account_rows(doomed.account_id) THEN
    DELETE FROM account WHERE account_id = doomed.account_id;
    RETURN 1;
  END IF;
  UPDATE account
     SET deletion_began_at = coalesce(deletion_began_at, transaction_timestamp()),
         deletion_step_at = transaction_timestamp() + CASE WHEN total = 0 THEN interval '1 second' ELSE '0' END,
         deleted_rows = deleted_rows + total
   WHERE account_id = doomed.account_id;
  RETURN total;
END $$;

-- Locked rows too: those are skipped when rows are deleted.
CREATE FUNCTION has_account_rows(of_account bigint) RETURNS boolean
  LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  name  text;
  found boolean;
BEGIN
  FOREACH name IN ARRAY account_tables() LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE account_id = $1)', name) INTO found USING of_account;
    IF found THEN RETURN true; END IF;
  END LOOP;
  RETURN false;
END $$;

REVOKE ALL ON FUNCTION account_tables(), has_account_rows(bigint), delete_account_rows(integer, interval, interval)
  FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_account_rows(integer, interval, interval) TO shopbell_worker;
