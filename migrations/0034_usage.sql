-- transactional
-- Usage is counted from the event log: each round adds the events since the last one. Accounts without new events cost
-- nothing, and no account is counted from the start, except once after this migration or after a restore from a dump.

-- The events that are counted: those that `shows` shows. Whoever locks the row counts.
CREATE TABLE usage_position (
  one      boolean PRIMARY KEY DEFAULT true CHECK (one),
  database text NOT NULL,         -- the server and database whose transactions `shows` names
  shows    pg_snapshot NOT NULL,
  since    timestamptz NOT NULL,  -- events that it does not show were received then or later
  at       timestamptz NOT NULL   -- every change committed before this time is counted
) WITH (fillfactor = 20);
GRANT SELECT (at) ON usage_position TO shopbell_api;

CREATE FUNCTION this_database() RETURNS text LANGUAGE sql STABLE
  RETURN format('%s.%s', (SELECT system_identifier FROM pg_control_system()),
                (SELECT oid FROM pg_database WHERE datname = current_database()));
INSERT INTO usage_position (database, shows, since, at)
  VALUES (this_database(), pg_current_snapshot(), transaction_timestamp() - interval '10 minutes',
          transaction_timestamp());

-- The account must be counted from the start. True for all accounts that exist now.
ALTER TABLE store_usage ADD COLUMN stale boolean NOT NULL DEFAULT true;
ALTER TABLE store_usage ALTER COLUMN stale SET DEFAULT false;

-- Counts the events of the next `most` transactions. Returns 1 if more work is left, else 0; also 0 if another process
-- is counting. One statement reads the events and stores its own snapshot, so each event is counted exactly once.
-- A purchase that moves to another contact has the event purchase.deleted of the old one, and purchase.updated, in one
-- transaction.
CREATE FUNCTION advance_usage(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  here      CONSTANT text := this_database();
  last      usage_position;
  begun     xid8;    -- of transactions from here on no event is counted
  pending   xid8[];  -- earlier ones that were in flight
  until     xid8;
  caught_up boolean;
BEGIN
  SELECT * INTO last FROM usage_position FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  IF last.database <> here THEN  -- a dump was loaded: its transaction numbers mean nothing here
    WITH marked AS (UPDATE store_usage SET stale = true)
    UPDATE usage_position
       SET database = here, shows = pg_current_snapshot(), since = transaction_timestamp() - interval '10 minutes',
           at = transaction_timestamp();
    RETURN 1;
  END IF;
  begun := pg_snapshot_xmax(last.shows);
  pending := ARRAY(SELECT pg_snapshot_xip(last.shows));
  caught_up := pg_snapshot_xmax(pg_current_snapshot())::text::numeric <= begun::text::numeric + most;
  until := CASE WHEN caught_up THEN '18446744073709551615' ELSE (begun::text::numeric + most)::text END::xid8;
  WITH batch AS MATERIALIZED (
    SELECT account_id, xid, subject, kind, received_at FROM event
     WHERE xid >= begun AND xid < until AND received_at >= last.since
    UNION ALL
    SELECT account_id, xid, subject, kind, received_at FROM event
     WHERE xid = ANY (pending) AND received_at >= last.since
  ), moment AS MATERIALIZED (
    SELECT t.at, date_trunc('month', t.at, 'UTC') AS month
      FROM (SELECT greatest(last.at, max(received_at), CASE WHEN caught_up THEN transaction_timestamp() END) AS at
              FROM batch) t
  ), purchase_change AS (
    SELECT account_id, sum(created - CASE WHEN updated = 0 THEN deleted ELSE 0 END) AS purchases
      FROM (SELECT account_id, count(*) FILTER (WHERE kind = 'purchase.created') AS created,
                   count(*) FILTER (WHERE kind = 'purchase.updated') AS updated,
                   count(*) FILTER (WHERE kind = 'purchase.deleted') AS deleted
              FROM batch WHERE kind IN ('purchase.created', 'purchase.updated', 'purchase.deleted')
             GROUP BY account_id, xid, subject) p
     GROUP BY account_id
  ), change AS (
    SELECT account_id,
           count(*) FILTER (WHERE kind = 'contact.created')
             - count(*) FILTER (WHERE kind IN ('contact.deleted', 'contact.merged')) AS contacts,
           count(*) FILTER (WHERE kind = 'product.created')
             - count(*) FILTER (WHERE kind = 'product.deleted') AS products,
           count(*) FILTER (WHERE received_at >= month) AS events
      FROM batch CROSS JOIN moment
     GROUP BY account_id
  ), added AS (
    UPDATE store_usage u
       SET contacts = u.contacts + c.contacts, products = u.products + c.products,
           purchases = u.purchases + coalesce(p.purchases, 0),
           events_this_month = CASE WHEN u.as_of >= m.month THEN u.events_this_month ELSE 0 END + c.events,
           as_of = greatest(u.as_of, m.at)
      FROM change c LEFT JOIN purchase_change p USING (account_id) CROSS JOIN moment m
     WHERE u.account_id = c.account_id AND NOT u.stale
  ), recounted AS (
    UPDATE store_usage u
       SET contacts = (SELECT count(*) FROM contact x WHERE x.account_id = u.account_id),
           products = (SELECT count(*) FROM product x WHERE x.account_id = u.account_id),
           purchases = (SELECT count(*) FROM purchase x WHERE x.account_id = u.account_id),
           events_this_month = (SELECT count(*) FROM event x
                                 WHERE x.account_id = u.account_id AND x.received_at >= m.month),
           as_of = m.at, stale = false
      FROM (SELECT account_id FROM store_usage WHERE stale AND caught_up LIMIT 20) s CROSS JOIN moment m
     WHERE u.account_id = s.account_id
  ), next AS (
    SELECT CASE WHEN caught_up THEN now
                ELSE format('%s:%s:%s', least(pg_snapshot_xmin(now), until), until,
                            (SELECT string_agg(x::text, ',' ORDER BY x) FROM pg_snapshot_xip(now) x
                              WHERE x < until))::pg_snapshot
            END AS shows
      FROM pg_current_snapshot() AS now
  )
  UPDATE usage_position
     SET shows = next.shows, at = moment.at,
         -- Transactions that were in flight at the last position may be older than it. None of the service takes longer
         -- than ten minutes, so the others began later than that before it.
         since = CASE WHEN pg_snapshot_xmin(next.shows) >= begun THEN last.at - interval '10 minutes'
                      ELSE last.since END
    FROM next CROSS JOIN moment;
  RETURN (NOT caught_up OR EXISTS (SELECT FROM store_usage WHERE stale))::integer;
END $$;

-- The previous release calls this function.
CREATE OR REPLACE FUNCTION count_usage(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    SELECT advance_usage(20000);
  END;

REVOKE ALL ON FUNCTION this_database(), advance_usage(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION advance_usage(integer) TO shopbell_worker;
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND (table_name = 'usage_position'
                 OR (table_name = 'store_usage' AND column_name = 'stale'))
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
