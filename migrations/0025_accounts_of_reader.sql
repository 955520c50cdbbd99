-- transactional
-- A reader of the log that acts for some accounts only does not read the events of all others.

-- Asked for in the statement that reads events: whoever wanted them before they happened is then seen with them.
CREATE FUNCTION accounts_of_reader(of_reader text) RETURNS SETOF bigint
  LANGUAGE sql STABLE SET search_path = pg_catalog, public
  BEGIN ATOMIC
    SELECT DISTINCT account_id FROM webhook WHERE of_reader = 'webhooks' AND state <> 'disabled';
  END;
REVOKE ALL ON FUNCTION accounts_of_reader(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION accounts_of_reader(text) TO shopbell_worker;
