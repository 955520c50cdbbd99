-- transactional
-- Events that open runs still need outlive their partition: a run that waits for more than a year keeps a copy of the
-- event that started it.

CREATE INDEX run_trigger ON run (trigger_at) WHERE trigger_data IS NULL;

-- Copies the events that started a batch of open runs, if they are older than the age. Returns the number of runs.
CREATE FUNCTION copy_run_triggers(most integer, age interval) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp
  BEGIN ATOMIC
    WITH old AS (
      SELECT r.account_id, r.contact_id, r.run_id, r.trigger_at, r.trigger_id FROM run r
       WHERE r.trigger_data IS NULL AND r.trigger_at < transaction_timestamp() - age
       LIMIT most
         FOR UPDATE SKIP LOCKED
    ), copied AS (
      UPDATE run r
         SET seq = r.seq + 1,
             trigger_data = coalesce(
               (SELECT json_build_object(
                         'id', e.uid, 'kind', e.kind,
                         'occurredAt', to_char(e.occurred_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                         'receivedAt', to_char(e.received_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
                         'contactId', e.contact_id, 'data', e.payload)
                  FROM event e
                 WHERE e.account_id = o.account_id AND e.received_at = o.trigger_at AND e.id = o.trigger_id
                   AND e.payload IS NOT NULL),
               'null'::json)
        FROM old o
       WHERE r.account_id = o.account_id AND r.contact_id = o.contact_id AND r.run_id = o.run_id
      RETURNING 1
    )
    SELECT count(*) FROM copied;
  END;
REVOKE ALL ON FUNCTION copy_run_triggers(integer, interval) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION copy_run_triggers(integer, interval) TO shopbell_worker;

CREATE OR REPLACE FUNCTION keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '50ms' AS $$
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
         AND c.relname < (SELECT coalesce(to_char(min(t.since) AT TIME ZONE 'UTC', named), '~')
                            FROM log_position p JOIN log_tick t ON t.tick = p.tick)
       ORDER BY c.relname
    LOOP
      -- Open runs may still need the events that started them: copy_run_triggers() copies them into the runs first.
      EXIT WHEN EXISTS (SELECT FROM run r
                         WHERE r.trigger_data IS NULL
                           AND r.trigger_at < to_timestamp(right(name, 7), 'YYYY_MM') AT TIME ZONE 'UTC' + interval '1 month');
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
