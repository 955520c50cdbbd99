-- transactional
-- Reading the event log: the cost of a page depends on the page, and events are found although the clock was set back.

-- The indexes of the two migrations before this one. (xid, id) replaces (xid).
DO $$
DECLARE
  month text;
BEGIN
  FOR month IN SELECT c.relname FROM pg_inherits m JOIN pg_class c ON c.oid = m.inhrelid
                WHERE m.inhparent = 'public.event'::regclass
  LOOP
    EXECUTE format('ALTER INDEX public.event_id ATTACH PARTITION public.%I', month || '_id_idx');
    EXECUTE format('ALTER INDEX public.event_xid_id ATTACH PARTITION public.%I', month || '_xid_id_idx');
  END LOOP;
END $$;
DROP INDEX event_xid;

-- Accounts for which a reader acts; readers that act for all accounts are not listed. A reading statement probes it by
-- account: a list of all accounts would be built at every tick.
CREATE VIEW reader_account WITH (security_invoker = true) AS
  SELECT 'webhooks'::text AS reader, account_id FROM webhook WHERE state <> 'disabled';
GRANT SELECT ON reader_account TO shopbell_worker;

-- Events that a tick made at that time does not show were received then or later. Only the choice of months depends on
-- it, so it allows for a month: a clock that is set back by less changes nothing.
CREATE FUNCTION log_since(made_at timestamptz) RETURNS timestamptz
  LANGUAGE sql IMMUTABLE
  RETURN date_trunc('month', made_at - interval '10 minutes', 'UTC') - interval '1 month';
REVOKE ALL ON FUNCTION log_since(timestamptz) FROM PUBLIC;

-- True if there is an event that the tick does not show. It asks the events and not their sequence: an id can be drawn
-- long before its transaction has a number. The clock may be behind the tick's by now.
CREATE OR REPLACE FUNCTION log_has_news(last log_tick, from_id bigint) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  begun   CONSTANT xid8 := pg_snapshot_xmax(last.shows);
  pending CONSTANT xid8[] := ARRAY(SELECT pg_snapshot_xip(last.shows));
  bound   CONSTANT timestamptz := least(last.since, log_since(transaction_timestamp()));
BEGIN
  RETURN EXISTS (SELECT FROM event WHERE xid >= begun AND xid < pg_snapshot_xmax(pg_current_snapshot())
                                     AND id + 0 > from_id AND received_at >= bound)
      OR EXISTS (SELECT FROM event WHERE xid = ANY (pending) AND id + 0 > from_id AND received_at >= bound);
END $$;

-- Ends the epoch of the last tick, if there is one, and begins the next. Whoever has drawn an id holds a lock on the
-- table: once the lock is ours, every id given out is committed or lost. Returns the new epoch's first tick.
CREATE OR REPLACE FUNCTION enter_log_epoch() RETURNS bigint
  LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '3s' AS $$
DECLARE
  now_since CONSTANT timestamptz := log_since(transaction_timestamp());
  last      log_tick;
  from_id   bigint;
  shown     pg_snapshot;
  next      integer;
BEGIN
  LOCK TABLE event IN SHARE MODE;
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  from_id := last_event_id();
  shown := pg_current_snapshot();
  IF last.tick IS NOT NULL THEN
    INSERT INTO log_tick (tick, epoch, at, shows, ends, last_id, since)
      VALUES (last.tick + 1, last.epoch, transaction_timestamp(), shown, true, from_id, least(last.since, now_since));
  END IF;
  INSERT INTO log_epoch (epoch, life, start_id, began_at)
    SELECT coalesce(max(epoch), 0) + 1, log_life(), from_id, transaction_timestamp() FROM log_epoch
    RETURNING epoch INTO next;
  INSERT INTO log_tick (tick, epoch, at, shows, last_id, since)
    VALUES (coalesce(last.tick + 2, 1), next, transaction_timestamp(), shown, from_id, now_since);
  RETURN coalesce(last.tick + 2, 1);
END $$;

-- Makes a tick if there is something to show that the last one did not; otherwise it writes nothing.
CREATE OR REPLACE FUNCTION make_tick(me uuid, held bigint, OUT tick bigint, OUT made boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
#variable_conflict use_column
DECLARE
  last    log_tick;
  from_id bigint;
  shown   pg_snapshot;
BEGIN
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  SELECT e.start_id INTO from_id FROM log_epoch e WHERE e.epoch = last.epoch AND e.life = log_life();
  IF FOUND AND NOT log_has_news(last, from_id) THEN
    PERFORM require(EXISTS (SELECT FROM log_ticker WHERE owner = me AND generation = held), 'SB003',
                    'another process makes ticks');
    tick := last.tick;
    made := false;
    RETURN;
  END IF;

  -- The lock comes first. Later statements see what was committed meanwhile, above all the snapshot: so a tick never
  -- shows less than the one before it.
  PERFORM FROM log_ticker WHERE owner = me AND generation = held FOR UPDATE;
  PERFORM require(FOUND, 'SB003', 'another process makes ticks');
  SELECT * INTO last FROM log_tick ORDER BY tick DESC LIMIT 1;
  SELECT e.start_id INTO from_id FROM log_epoch e WHERE e.epoch = last.epoch AND e.life = log_life();
  made := true;
  IF FOUND THEN
    shown := pg_current_snapshot();
    tick := last.tick + 1;
    INSERT INTO log_tick (tick, epoch, at, shows, last_id, since)
      SELECT last.tick + 1, last.epoch, transaction_timestamp(), shown, last_event_id(),
             -- A transaction that this tick does not show began at the earliest shortly before the newest tick that
             -- shows all older ones, and no transaction of the service takes ten minutes. If the clock was set back
             -- since, it began at the earliest shortly before now.
             least(log_since(transaction_timestamp()),
                   coalesce((SELECT log_since(k.at) FROM log_tick k
                              WHERE k.epoch = last.epoch AND pg_snapshot_xmax(k.shows) <= pg_snapshot_xmin(shown)
                              ORDER BY pg_snapshot_xmax(k.shows) DESC, k.tick DESC LIMIT 1), last.since));
    RETURN;
  END IF;

  tick := enter_log_epoch();
END $$;

COMMENT ON COLUMN reader_account.reader IS 'not personal';
COMMENT ON COLUMN reader_account.account_id IS 'not personal';
