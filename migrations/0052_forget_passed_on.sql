-- transactional
-- A lane passes events and enrolments of a merged contact on to the contact that it was merged into. If that contact is
-- erased at the same moment, the passed on events come after its events were cleared: its own lane clears them.

CREATE FUNCTION forget_passed_on(account bigint, contact uuid) RETURNS void
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    UPDATE event SET payload = NULL
     WHERE account_id = account AND contact_id = contact AND kind IN ('forward', 'adopt') AND payload IS NOT NULL;
  END;
REVOKE ALL ON FUNCTION forget_passed_on(bigint, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_passed_on(bigint, uuid) TO shopbell_worker;
