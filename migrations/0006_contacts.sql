-- transactional
-- Contacts: the people a store knows, what they agreed to, and what outlives them. None of these tables refers to
-- account by a key: every insert would lock the one row that all of a store's writers share.

CREATE TABLE contact (
  account_id            bigint NOT NULL,
  contact_id            uuid NOT NULL,
  lane                  smallint NOT NULL,
  email                 text,
  email_key             text COLLATE "C",
  external_id           text COLLATE "C",
  first_name            text,
  last_name             text,
  name_key              text COLLATE "C",
  surname_key           text COLLATE "C",
  company               text,
  birth_date            text,
  phone                 text COLLATE "C",
  locale                text,
  time_zone             text,
  country               text,
  postal_code           text,
  currency              text,
  tags                  text[] NOT NULL DEFAULT '{}',
  points                bigint NOT NULL DEFAULT 0,
  fields                jsonb NOT NULL DEFAULT '{}',
  email_subscription    text NOT NULL DEFAULT 'none'
                        CHECK (email_subscription IN ('subscribed', 'unsubscribed', 'pending', 'none')),
  email_subscription_at timestamptz,
  sms_subscription      text NOT NULL DEFAULT 'none'
                        CHECK (sms_subscription IN ('subscribed', 'unsubscribed', 'pending', 'none')),
  sms_subscription_at   timestamptz,
  email_status          text NOT NULL DEFAULT 'active' CHECK (email_status IN ('active', 'paused', 'bounced', 'complained')),
  phone_status          text NOT NULL DEFAULT 'active' CHECK (phone_status IN ('active', 'paused', 'bounced', 'complained')),
  has_consent           boolean NOT NULL DEFAULT false,
  source_updated_at     timestamptz,
  event_seq             bigint NOT NULL DEFAULT 0,
  version               bigint NOT NULL DEFAULT 1,
  created_at            timestamptz NOT NULL,
  updated_at            timestamptz NOT NULL,
  PRIMARY KEY (account_id, contact_id),
  CHECK (email_key IS NOT NULL OR external_id IS NOT NULL),
  CHECK ((email IS NULL) = (email_key IS NULL))
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX contact_email ON contact (account_id, email_key) WHERE email_key IS NOT NULL;
CREATE UNIQUE INDEX contact_external_id ON contact (account_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX contact_name ON contact (account_id, name_key) WHERE name_key IS NOT NULL;
CREATE INDEX contact_surname ON contact (account_id, surname_key) WHERE surname_key IS NOT NULL;
CREATE INDEX contact_updated ON contact (account_id, updated_at);

-- What a list of contacts can be filtered by, one row per value: tags, the e-mail subscription, values of indexed fields.
-- Its order is the list's own, so a page costs the same at any depth. A facet is a field's number, 0 for tags, -1 for
-- the e-mail subscription.
CREATE TABLE contact_facet (
  account_id bigint NOT NULL,
  facet      bigint NOT NULL,
  value      text COLLATE "C" NOT NULL,
  contact_id uuid NOT NULL,
  PRIMARY KEY (account_id, facet, value, contact_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contact ON DELETE CASCADE
);
CREATE INDEX contact_facet_contact ON contact_facet (account_id, contact_id);

-- Whether a contact has all of these facets. One that is marked holds too for who has no value of that kind at all: a
-- required field is younger than they are, and its default counts.
CREATE FUNCTION contact_has(account bigint, contact uuid, kinds bigint[], wanted text[], or_absent boolean[])
  RETURNS boolean LANGUAGE sql STABLE
  BEGIN ATOMIC
    SELECT cardinality(kinds) = 0 OR NOT EXISTS (
      SELECT FROM unnest(kinds, wanted, or_absent) AS w (kind, value, absent)
       WHERE NOT EXISTS (SELECT FROM contact_facet f
                          WHERE f.account_id = account AND f.facet = w.kind AND f.value = w.value AND f.contact_id = contact)
         AND NOT (w.absent AND NOT EXISTS (SELECT FROM contact_facet f
                                            WHERE f.account_id = account AND f.contact_id = contact AND f.facet = w.kind)));
  END;

-- Every choice a person made about being written to, with its proof; rows are only added.
CREATE TABLE consent (
  account_id  bigint NOT NULL,
  contact_id  uuid NOT NULL,
  channel     text NOT NULL CHECK (channel IN ('email', 'sms')),
  at          timestamptz NOT NULL,
  status      text NOT NULL CHECK (status IN ('subscribed', 'unsubscribed', 'pending', 'none')),
  source      text,
  ip          text,
  user_agent  text,
  wording     text,
  method      text CHECK (method IN ('singleOptIn', 'doubleOptIn', 'softOptIn', 'imported')),
  received_at timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, contact_id, at, channel, status),
  FOREIGN KEY (account_id, contact_id) REFERENCES contact ON DELETE CASCADE
);

-- Counts changes of an account's fields, so that who remembers them knows when to read them again.
ALTER TABLE contact_field_counter ADD COLUMN version bigint NOT NULL DEFAULT 1;
-- How far the values of a field that is gone have been removed.
ALTER TABLE dropped_contact_field ADD COLUMN done_until uuid;

-- A contact as it is shown: with the newest of its consents, and the version of the account's fields that its values are
-- to be read by. Runs with the rights of whoever asks.
CREATE VIEW shown_contact WITH (security_invoker = true) AS
  SELECT c.*,
         (SELECT f.version FROM contact_field_counter f WHERE f.account_id = c.account_id) AS fields_version,
         CASE WHEN c.has_consent THEN
           (SELECT json_agg(h.entry ORDER BY h.at DESC, h.channel, h.status)
              FROM (SELECT k.at, k.channel, k.status,
                           json_build_object('channel', k.channel, 'status', k.status,
                                             'at', to_char(k.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                                             'source', k.source, 'ip', k.ip, 'userAgent', k.user_agent,
                                             'wording', k.wording, 'method', k.method) AS entry
                      FROM consent k
                     WHERE k.account_id = c.account_id AND k.contact_id = c.contact_id
                     ORDER BY k.at DESC, k.channel, k.status
                     LIMIT 100) AS h)
         END AS consent
    FROM contact c;
GRANT SELECT ON shown_contact TO shopbell_api, shopbell_reader;

-- The ids of contacts that were merged into others; never a chain.
CREATE TABLE merged_contact (
  account_id bigint NOT NULL,
  contact_id uuid NOT NULL,
  lane       smallint NOT NULL,
  into_id    uuid NOT NULL,
  merged_at  timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, contact_id),
  FOREIGN KEY (account_id, into_id) REFERENCES contact (account_id, contact_id) ON DELETE CASCADE
);
CREATE INDEX merged_contact_into ON merged_contact (account_id, into_id);

-- Addresses that must not be written to although no contact says so any more: a keyed hash of each, nothing else.
CREATE TABLE suppression (
  account_id   bigint NOT NULL,
  channel      text NOT NULL CHECK (channel IN ('email', 'sms')),
  address_hash bytea NOT NULL CHECK (octet_length(address_hash) = 32),
  reason       text NOT NULL CHECK (reason IN ('unsubscribed', 'complained')),
  at           timestamptz NOT NULL,
  PRIMARY KEY (account_id, channel, address_hash)
);

-- Who was erased lately, by keyed hashes of their identifiers: what a store sends late about them is refused.
CREATE TABLE erasure (
  account_id      bigint NOT NULL,
  identifier_hash bytea NOT NULL CHECK (octet_length(identifier_hash) = 32),
  erased_at       timestamptz NOT NULL,
  PRIMARY KEY (account_id, identifier_hash)
);
CREATE INDEX erasure_age ON erasure (erased_at);

-- Requests by a key for operations that have a successor.
ALTER TABLE key_use ADD COLUMN deprecated_requests bigint NOT NULL DEFAULT 0;
COMMENT ON COLUMN key_use.deprecated_requests IS 'not personal';

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['contact', 'contact_facet', 'consent', 'merged_contact', 'suppression', 'erasure'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_reader', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO shopbell_api', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('contact', 'contact_facet', 'consent', 'merged_contact', 'suppression', 'erasure',
                                   'shown_contact', 'contact_field_counter', 'dropped_contact_field')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS %L', col.table_name, col.column_name,
                   CASE WHEN (col.table_name IN ('contact', 'shown_contact') AND col.column_name IN
                                ('email', 'email_key', 'external_id', 'first_name', 'last_name', 'name_key', 'surname_key',
                                 'company', 'birth_date', 'phone', 'locale', 'time_zone', 'country', 'postal_code',
                                 'currency', 'tags', 'points', 'fields', 'email_subscription', 'sms_subscription', 'consent'))
                          OR (col.table_name = 'contact_facet' AND col.column_name = 'value')
                          OR (col.table_name = 'consent' AND col.column_name IN
                                ('source', 'ip', 'user_agent', 'wording'))
                        THEN 'personal' ELSE 'not personal' END);
  END LOOP;
END $$;
-- What belongs to a contact goes with it, by its foreign key.
GRANT UPDATE, DELETE ON contact TO shopbell_api;
GRANT DELETE ON contact_facet, suppression TO shopbell_api;
GRANT UPDATE (into_id) ON merged_contact TO shopbell_api;
GRANT UPDATE (reason, at) ON suppression TO shopbell_api;
GRANT UPDATE (erased_at) ON erasure TO shopbell_api;

-- Called by any running process, now and then. Removes a batch of values of fields that are gone; says how many contacts
-- it looked at, so that the caller goes on while there are more. A minute passes first: who still writes such a value has
-- done so by then.
CREATE FUNCTION purge_dropped_fields(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  dropped dropped_contact_field;
  seen    uuid[];
BEGIN
  SELECT * INTO dropped FROM dropped_contact_field
   WHERE dropped_at < transaction_timestamp() - interval '1 minute'
   ORDER BY dropped_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  SELECT array_agg(contact_id) INTO seen FROM (
    SELECT contact_id FROM contact
     WHERE account_id = dropped.account_id AND contact_id > coalesce(dropped.done_until, '00000000-0000-0000-0000-000000000000')
     ORDER BY contact_id LIMIT most) AS batch;
  IF seen IS NULL THEN
    DELETE FROM dropped_contact_field WHERE account_id = dropped.account_id AND number = dropped.number;
    RETURN 1;
  END IF;
  UPDATE contact SET fields = fields - dropped.number::text
   WHERE account_id = dropped.account_id AND contact_id = ANY (seen) AND fields ? dropped.number::text;
  DELETE FROM contact_facet
   WHERE account_id = dropped.account_id AND facet = dropped.number AND contact_id = ANY (seen);
  UPDATE dropped_contact_field SET done_until = seen[cardinality(seen)]
   WHERE account_id = dropped.account_id AND number = dropped.number;
  RETURN cardinality(seen);
END $$;
REVOKE ALL ON FUNCTION purge_dropped_fields(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_dropped_fields(integer) TO shopbell_worker;

CREATE FUNCTION delete_old_erasures(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    WITH old AS (
      SELECT account_id, identifier_hash FROM erasure
       WHERE erased_at < transaction_timestamp() - interval '30 days'
       LIMIT most FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM erasure e USING old o
       WHERE e.account_id = o.account_id AND e.identifier_hash = o.identifier_hash
      RETURNING 1
    )
    SELECT count(*) FROM gone;
  END;
REVOKE ALL ON FUNCTION delete_old_erasures(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION delete_old_erasures(integer) TO shopbell_worker;

-- What a store holds, counted again when something happened to it; the large less often. Up to ten seconds ago: what
-- began before has ended by now, so no event is counted twice or not at all.
CREATE FUNCTION count_usage(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  until   timestamptz := transaction_timestamp() - interval '10 seconds';
  before  store_usage;
  counted bigint := 0;
BEGIN
  FOR before IN
    SELECT * FROM store_usage u
     WHERE u.as_of < until - interval '50 seconds' - u.contacts * interval '10 microseconds'
       AND EXISTS (SELECT FROM event e WHERE e.account_id = u.account_id AND e.received_at > u.as_of)
     LIMIT most FOR UPDATE SKIP LOCKED
  LOOP
    UPDATE store_usage u
       SET contacts = (SELECT count(*) FROM contact c WHERE c.account_id = u.account_id),
           events_this_month =
             (SELECT count(*) FROM event e
               WHERE e.account_id = u.account_id AND e.received_at <= until
                 AND e.received_at > greatest(before.as_of, date_trunc('month', until, 'UTC') - interval '1 microsecond'))
             + CASE WHEN date_trunc('month', before.as_of, 'UTC') = date_trunc('month', until, 'UTC')
                    THEN before.events_this_month ELSE 0 END,
           as_of = until
     WHERE u.account_id = before.account_id;
    counted := counted + 1;
  END LOOP;
  RETURN counted;
END $$;
REVOKE ALL ON FUNCTION count_usage(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION count_usage(integer) TO shopbell_worker;
