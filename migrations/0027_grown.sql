-- transactional
-- What was written while a table was looked at is looked at, too. ANALYZE counts rows that are not committed as none,
-- but their pages as read: a table filled in one long transaction was held for empty, until it doubled once more.
CREATE OR REPLACE FUNCTION analyze_grown() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('shopbell.analyze_grown')) THEN RETURN 0; END IF;
  SELECT c.oid INTO grown
    FROM pg_class c
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
     AND c.relowner = current_user::regrole  -- of others PostgreSQL would say that it was left out, each time anew
     AND (pg_relation_size(c.oid) / current_setting('block_size')::integer > 2 * greatest(c.relpages, 8)
          OR pg_stat_get_live_tuples(c.oid) > 2 * greatest(c.reltuples, 500))
   LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  EXECUTE format('ANALYZE %s', grown);
  RETURN 1;
END $$;
