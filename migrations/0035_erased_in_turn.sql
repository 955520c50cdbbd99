-- transactional
-- Clearing the events of erased contacts: a contact with many events does not delay the others. After each batch a
-- contact goes behind those that are already due. Batches follow the index on a contact's events, so that each reads
-- only its own events; `kind` is no longer part of the position.
CREATE OR REPLACE FUNCTION forget_erased(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  person erased_contact;
  seen bigint;
BEGIN
  SELECT * INTO person FROM erased_contact
   WHERE due_at <= transaction_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH batch AS MATERIALIZED (
    SELECT e.received_at, e.id FROM event e
     WHERE e.account_id = person.account_id AND e.contact_id = person.contact_id
       AND e.received_at >= coalesce(person.received_at, '-infinity')
       AND (e.received_at, e.id) > (coalesce(person.received_at, '-infinity'), coalesce(person.id, 0))
     ORDER BY e.received_at, e.id LIMIT most
  ), forgotten AS (
    UPDATE event e SET payload = NULL FROM batch b
     WHERE e.account_id = person.account_id AND e.received_at = b.received_at AND e.id = b.id
       AND e.payload IS NOT NULL AND e.kind <> 'contact.deleted'
  )
  SELECT last.received_at, last.id, (SELECT count(*) FROM batch)
    INTO person.received_at, person.id, seen
    FROM (SELECT) AS one
    LEFT JOIN (SELECT * FROM batch ORDER BY received_at DESC, id DESC LIMIT 1) AS last ON true;
  IF seen < most THEN
    person.round := person.round + 1;
    person.due_at :=
      person.erased_at + CASE person.round WHEN 2 THEN interval '10 minutes' ELSE interval '23 hours' END;
    person.received_at := NULL;
    person.id := NULL;
  ELSE
    person.due_at := transaction_timestamp();
  END IF;
  IF person.round > 3 THEN
    DELETE FROM erased_contact WHERE account_id = person.account_id AND contact_id = person.contact_id;
  ELSE
    UPDATE erased_contact
       SET due_at = person.due_at, round = person.round, received_at = person.received_at, id = person.id
     WHERE account_id = person.account_id AND contact_id = person.contact_id;
  END IF;
  RETURN seen + 1;
END $$;
-- Positions by kind mean nothing to the new order: these contacts start their round again.
UPDATE erased_contact SET kind = NULL, received_at = NULL, id = NULL WHERE received_at IS NOT NULL;
