-- transactional
-- Purchases: what people bought, under the store's own ids, and what that comes to per person.

CREATE TABLE purchase (
  account_id        bigint NOT NULL,
  purchase_id       uuid NOT NULL,
  store_id          text COLLATE "C" NOT NULL,
  contact_id        uuid,
  lane              smallint NOT NULL,
  purchased_at      timestamptz NOT NULL,
  status            text COLLATE "C" NOT NULL,
  currency          text COLLATE "C" NOT NULL,
  net_total         numeric(24, 6) NOT NULL,
  store_amount      numeric(24, 6),
  data              jsonb NOT NULL,
  content_hash      bytea NOT NULL,
  told              text[] NOT NULL DEFAULT '{}',
  source_updated_at timestamptz,
  version           bigint NOT NULL DEFAULT 1,
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  PRIMARY KEY (account_id, purchase_id),
  -- Whoever is erased leaves their purchases behind, without a person.
  FOREIGN KEY (account_id, contact_id) REFERENCES contact ON DELETE SET NULL (contact_id)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX purchase_store_id ON purchase (account_id, store_id);
CREATE INDEX purchase_contact ON purchase (account_id, contact_id, purchased_at, purchase_id);
CREATE INDEX purchase_time ON purchase (account_id, purchased_at, purchase_id);
CREATE INDEX purchase_status ON purchase (account_id, status, purchased_at, purchase_id);

ALTER TABLE purchase ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON purchase TO shopbell_api, shopbell_reader USING (account_id = current_account());
GRANT SELECT ON purchase TO shopbell_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON purchase TO shopbell_api;

-- What the purchases of a contact come to, changed in the transaction of each purchase.
ALTER TABLE contact ADD COLUMN purchases jsonb NOT NULL DEFAULT '{}';

CREATE OR REPLACE VIEW shown_contact WITH (security_invoker = true) AS
  SELECT c.account_id, c.contact_id, c.lane, c.email, c.email_key, c.external_id, c.first_name, c.last_name, c.name_key,
         c.surname_key, c.company, c.birth_date, c.phone, c.locale, c.time_zone, c.country, c.postal_code, c.currency,
         c.tags, c.points, c.fields, c.email_subscription, c.email_subscription_at, c.sms_subscription,
         c.sms_subscription_at, c.email_status, c.phone_status, c.has_consent, c.source_updated_at, c.event_seq,
         c.version, c.created_at, c.updated_at,
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
         END AS consent,
         c.purchases
    FROM contact c;

DO $$
DECLARE col text;
BEGIN
  FOR col IN SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'purchase' LOOP
    EXECUTE format('COMMENT ON COLUMN purchase.%I IS %L', col, 'not personal');
  END LOOP;
  COMMENT ON COLUMN contact.purchases IS 'personal';
  COMMENT ON COLUMN shown_contact.purchases IS 'personal';
END $$;

CREATE OR REPLACE FUNCTION count_usage(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  until   timestamptz := transaction_timestamp() - interval '10 seconds';
  before  store_usage;
  counted bigint := 0;
BEGIN
  FOR before IN
    SELECT * FROM store_usage u
     WHERE u.as_of < until - interval '50 seconds'
                     - (u.contacts + u.products + u.purchases) * interval '10 microseconds'
       AND EXISTS (SELECT FROM event e WHERE e.account_id = u.account_id AND e.received_at > u.as_of)
     LIMIT most FOR UPDATE SKIP LOCKED
  LOOP
    UPDATE store_usage u
       SET contacts = (SELECT count(*) FROM contact c WHERE c.account_id = u.account_id),
           products = (SELECT count(*) FROM product p WHERE p.account_id = u.account_id),
           purchases = (SELECT count(*) FROM purchase p WHERE p.account_id = u.account_id),
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
