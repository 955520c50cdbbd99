-- Facets go with their contact by a trigger. A foreign key asked for the contact once per facet, a third of the time an
-- import waits for the database, although nobody writes facets without having changed the contact's row before, in the
-- same transaction.
CREATE FUNCTION drop_facets() RETURNS trigger
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public AS $$
BEGIN
  DELETE FROM contact_facet WHERE account_id = OLD.account_id AND contact_id = OLD.contact_id;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION drop_facets() FROM PUBLIC;
CREATE TRIGGER facets_go AFTER DELETE ON contact FOR EACH ROW EXECUTE FUNCTION drop_facets();
ALTER TABLE contact_facet DROP CONSTRAINT contact_facet_account_id_contact_id_fkey;

-- Looks at one table that has at least doubled since it was last looked at, and says how many that were. A plan made
-- while a table was empty takes any of its indexes, and stays until the table is analyzed; autovacuum comes when it
-- comes. By one process at a time.
CREATE FUNCTION analyze_grown() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('shopbell.analyze_grown')) THEN RETURN 0; END IF;
  SELECT c.oid INTO grown
    FROM pg_class c
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
     AND c.relowner = current_user::regrole  -- of others PostgreSQL would say that it was left out, each time anew
     AND pg_relation_size(c.oid) / current_setting('block_size')::integer > 2 * greatest(c.relpages, 8)
   LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  EXECUTE format('ANALYZE %s', grown);
  RETURN 1;
END $$;
REVOKE ALL ON FUNCTION analyze_grown() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION analyze_grown() TO shopbell_worker;
