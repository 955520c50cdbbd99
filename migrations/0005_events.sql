-- transactional
-- What happened: the history of contacts and the outbox of everything that reacts to them, in one table. A row is
-- written in the transaction of the change it tells of and never moves to another contact or lane.

-- Partitioned by month (UTC), so that what is too old goes as a whole. No default partition: a row without a month is
-- refused, since a month could not be added later over rows that lie in the default one. No foreign key to the account,
-- which would lock its row for every event.
CREATE TABLE event (
  account_id  bigint NOT NULL,
  received_at timestamptz NOT NULL DEFAULT transaction_timestamp(),
  id          bigint NOT NULL GENERATED ALWAYS AS IDENTITY (CACHE 1),
  uid         uuid NOT NULL,
  xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),
  lane        smallint NOT NULL CHECK (lane BETWEEN 0 AND 1023),
  contact_id  uuid,
  contact_seq bigint,  -- its number among the events that change the contact's row
  subject     text,
  kind        text COLLATE "C" NOT NULL,
  format      smallint NOT NULL,
  occurred_at timestamptz NOT NULL,
  trigger     text NOT NULL,  -- all, exits, none
  hops        smallint NOT NULL,
  cause_uid   uuid,
  source      text NOT NULL,
  trace       text,
  payload     jsonb,   -- null once the contact was erased
  PRIMARY KEY (account_id, received_at, id)
) PARTITION BY RANGE (received_at);
CREATE INDEX event_xid ON event (xid);
-- Time before kind: a contact's history is read newest first and stops at the page's end; a look for one kind passes over
-- the others inside the index.
CREATE INDEX event_contact ON event (account_id, contact_id, received_at, id, kind);

ALTER TABLE event ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON event TO shopbell_api, shopbell_reader USING (account_id = current_account());
CREATE POLICY every_account ON event TO shopbell_worker USING (true);
GRANT SELECT, INSERT ON event TO shopbell_api;
GRANT UPDATE (payload) ON event TO shopbell_api;  -- erasure
GRANT SELECT ON event TO shopbell_worker, shopbell_reader;

-- Every column says whether it can hold something about a person; partitions take it over.
DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'event'
  LOOP
    EXECUTE format('COMMENT ON COLUMN event.%I IS %L', name,
                   CASE WHEN name = 'payload' THEN 'personal' ELSE 'not personal' END);
  END LOOP;
END $$;

-- Called by any running process at its start and now and then: makes the partitions of this month and of `ahead` more,
-- drops those that are wholly older than `retention`. Whoever comes while another is at it leaves it to that one. What
-- cannot be locked within 50 ms is left for the next call: a longer wait would queue every reader and writer behind it.
-- `covered`: this month's partition is there.
CREATE FUNCTION keep_event_partitions(retention interval, ahead integer,
                                      OUT made text[], OUT dropped text[], OUT covered boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public SET lock_timeout = '50ms' AS $$
DECLARE
  this_month CONSTANT timestamp := date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC');
  named      CONSTANT text := '"event_"YYYY_MM';
  bound      CONSTANT text := 'YYYY-MM-DD"T"HH24:MI:SS"+00"';
  month timestamp;
  name  text;
BEGIN
  IF retention < interval '31 days' OR ahead NOT BETWEEN 0 AND 12 THEN
    RAISE EXCEPTION 'events are kept for 31 days at least, and partitions made for 12 months ahead at most'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  made := '{}';
  dropped := '{}';
  IF pg_try_advisory_xact_lock(hashtextextended('keep_event_partitions', 0)) THEN
    FOR i IN 0..ahead LOOP
      month := this_month + make_interval(months => i);
      name := to_char(month, named);
      CONTINUE WHEN to_regclass(format('public.%I', name)) IS NOT NULL;
      BEGIN
        -- Made alone and then attached: PARTITION OF would lock out every reader and writer.
        EXECUTE format('CREATE TABLE public.%I (LIKE public.event INCLUDING ALL EXCLUDING IDENTITY)', name);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.event ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', name,
                       to_char(month, bound), to_char(month + interval '1 month', bound));
        made := made || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
    FOR name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'public.event'::regclass
         AND c.relname < to_char((transaction_timestamp() AT TIME ZONE 'UTC') - retention, named)
       ORDER BY c.relname
    LOOP
      BEGIN
        EXECUTE format('ALTER TABLE public.event DETACH PARTITION public.%I', name);
        EXECUTE format('DROP TABLE public.%I', name);
        dropped := dropped || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
  END IF;
  covered := to_regclass(format('public.%I', to_char(this_month, named))) IS NOT NULL;
END $$;
REVOKE ALL ON FUNCTION keep_event_partitions(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_event_partitions(interval, integer) TO shopbell_worker;

SELECT keep_event_partitions(interval '400 days', 2);
