-- transactional
-- Messages: what workflows plan to send, and what became of it. A row has no address and no body.

-- Monthly partitions by the time in the message's id, which follows from run, node and visit: a repeated step plans the
-- same message. `due_at` is when to look at the message next.
CREATE TABLE message (
  account_id    bigint NOT NULL,
  message_id    uuid NOT NULL,
  lane          smallint NOT NULL CHECK (lane BETWEEN 0 AND 1023),
  contact_id    uuid,                   -- null once the contact was erased
  class         text NOT NULL CHECK (class IN ('marketing', 'transactional')),
  bulk          boolean NOT NULL,       -- started by a schedule: waits behind live messages
  priority      integer NOT NULL,
  workflow_id   uuid,
  run_id        uuid,
  node          text,
  template      text NOT NULL,          -- alias or id, as the definition names it
  send_rules    json,                   -- {"quietHours": …, "sendWindow": …}
  skips_at_cap  boolean NOT NULL,
  planned_at    timestamptz NOT NULL,
  hops          smallint NOT NULL DEFAULT 0,  -- length of the chain of events that caused it
  due_at        timestamptz,
  state         text NOT NULL DEFAULT 'planned'
                CHECK (state IN ('planned', 'sent', 'failed', 'suppressed', 'skipped', 'unknown')),
  reason        text,
  ended_at      timestamptz,
  PRIMARY KEY (account_id, message_id),
  CHECK ((state = 'planned') = (ended_at IS NULL)),
  CHECK ((state = 'planned') = (due_at IS NOT NULL))
) PARTITION BY RANGE (message_id);
CREATE INDEX message_contact ON message (account_id, contact_id, message_id);
CREATE INDEX message_workflow ON message (account_id, workflow_id, message_id);
CREATE INDEX message_due ON message (due_at, account_id, message_id) WHERE ended_at IS NULL;

ALTER TABLE message ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON message TO shopbell_api, shopbell_reader USING (account_id = current_account());
CREATE POLICY every_account ON message TO shopbell_worker USING (true);
GRANT SELECT ON message TO shopbell_api, shopbell_worker, shopbell_reader;
GRANT INSERT, UPDATE ON message TO shopbell_worker;
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'message'
  LOOP
    EXECUTE format('COMMENT ON COLUMN message.%I IS ''not personal''', col.column_name);
  END LOOP;
END $$;

-- Makes the monthly partitions of a table from last month on, and those that are missing since the newest one: timers
-- that became due while no process ran give their messages ids of that time. Drops partitions that ended longer ago than
-- the retention period. The partition key is a time, or a UUID that begins with one.
CREATE FUNCTION keep_monthly_partitions(parent text, retention interval, ahead integer,
                                        OUT made text[], OUT dropped text[], OUT covered boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '50ms' AS $$
DECLARE
  this_month CONSTANT timestamp := date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC');
  by_id      CONSTANT boolean := parent = 'message';
  month  timestamp;
  newest timestamp;
  name   text;
  low   text;
  high  text;
BEGIN
  PERFORM require(parent IN ('message', 'run_history'), '22023', 'this table has other partitions');
  made := '{}';
  dropped := '{}';
  IF pg_try_advisory_xact_lock(hashtextextended('keep_monthly_partitions ' || parent, 0)) THEN
    SELECT to_timestamp(max(right(c.relname, 7)), 'YYYY_MM') AT TIME ZONE 'UTC' INTO newest
      FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = format('public.%I', parent)::regclass;
    FOR month IN SELECT generate_series(least(this_month - interval '1 month', newest + interval '1 month'),
                                        this_month + make_interval(months => ahead), interval '1 month')
    LOOP
      name := to_char(month, format('"%s_"YYYY_MM', parent));
      CONTINUE WHEN to_regclass(format('public.%I', name)) IS NOT NULL;
      low := CASE WHEN by_id THEN first_uuid_of(month AT TIME ZONE 'UTC')::text
                  ELSE to_char(month, 'YYYY-MM-DD"T"HH24:MI:SS"+00"') END;
      high := CASE WHEN by_id THEN first_uuid_of((month + interval '1 month') AT TIME ZONE 'UTC')::text
                   ELSE to_char(month + interval '1 month', 'YYYY-MM-DD"T"HH24:MI:SS"+00"') END;
      BEGIN
        -- Made alone and then attached: PARTITION OF would lock out every reader and writer.
        EXECUTE format('CREATE TABLE public.%I (LIKE public.%I INCLUDING ALL) WITH (fillfactor = 80)', name,
                       parent);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', parent, name,
                       low, high);
        made := made || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
    FOR name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = format('public.%I', parent)::regclass
         AND c.relname < to_char((transaction_timestamp() AT TIME ZONE 'UTC') - retention, format('"%s_"YYYY_MM', parent))
       ORDER BY c.relname
    LOOP
      BEGIN
        EXECUTE format('ALTER TABLE public.%I DETACH PARTITION public.%I', parent, name);
        EXECUTE format('DROP TABLE public.%I', name);
        dropped := dropped || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
  END IF;
  covered := to_regclass(format('public.%I', to_char(this_month, format('"%s_"YYYY_MM', parent)))) IS NOT NULL;
END $$;

-- The smallest UUID whose first 48 bits are this time in milliseconds.
CREATE FUNCTION first_uuid_of(at timestamptz) RETURNS uuid
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid;

REVOKE ALL ON FUNCTION keep_monthly_partitions(text, interval, integer), first_uuid_of(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION keep_monthly_partitions(text, interval, integer) TO shopbell_worker;
GRANT EXECUTE ON FUNCTION first_uuid_of(timestamptz) TO shopbell_worker, shopbell_api, shopbell_reader;

SELECT keep_monthly_partitions('message', interval '400 days', 2);
SELECT keep_monthly_partitions('run_history', interval '400 days', 2);

CREATE OR REPLACE FUNCTION account_tables() RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN ARRAY[
    -- Rows that let others write more rows go first: keys, jobs, endpoints, workflows.
    'key_use', 'api_key', 'job', 'webhook_queue', 'webhook', 'engine_interest', 'workflow_schedule',
    'message', 'run', 'run_history', 'enrolment', 'timer', 'subject_wait', 'count_delta', 'node_count',
    'workflow_reference', 'workflow_version', 'workflow', 'template', 'event_type', 'event_type_counter', 'integration',
    'coupon_claim', 'coupon_redemption', 'coupon', 'coupon_slot', 'coupon_set', 'purchase', 'consent', 'merged_contact',
    'contact_facet', 'contact', 'contact_field', 'contact_field_counter', 'product',
    'event', 'webhook_delivery', 'webhook_chain', 'event_claim', 'claim', 'import_failure', 'rejected_event',
    'erased_contact', 'erasure', 'suppression', 'dropped_contact_field', 'dropped_coupon_set', 'dropped_webhook',
    'log_parked', 'bucket_use', 'store_usage', 'audit'
    -- A migration that adds a table with an account_id replaces this function, with the table in its place.
  ];
