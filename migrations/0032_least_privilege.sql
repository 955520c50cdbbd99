-- transactional
-- Tighter rights. Objects in a session's temporary schema come last in the search path of functions that run with the
-- owner's rights: unless pg_temp is named, PostgreSQL looks for tables there first.
DO $$
DECLARE definer regprocedure;
BEGIN
  FOR definer IN SELECT p.oid FROM pg_proc p WHERE p.prosecdef AND p.pronamespace = 'public'::regnamespace LOOP
    EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, public, pg_temp', definer);
  END LOOP;
END $$;

-- Exports need no secrets, not even encrypted ones: the reader role loses the headers and signing secrets of webhooks.
REVOKE SELECT ON webhook FROM shopbell_reader;
GRANT SELECT (account_id, webhook_id, url, description, kinds, state, reason, failing_since, rests_until, enabled_at,
              replay_from, replay_to, replay_at, replay_after, version, created_at, updated_at)
  ON webhook TO shopbell_reader;
