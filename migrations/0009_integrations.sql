-- transactional
-- Custom integrations: what a store connects by itself, and the types of events that come in from there or go out to it.

CREATE TABLE integration (
  account_id     bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  integration_id uuid NOT NULL,
  name           text COLLATE "C" NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  description    text,
  color          text CHECK (color ~ '^#[0-9a-f]{6}$'),
  image_url      text CHECK (octet_length(image_url) <= 8192),
  events_enabled boolean NOT NULL,
  version        bigint NOT NULL DEFAULT 1,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  PRIMARY KEY (account_id, integration_id)
);
CREATE UNIQUE INDEX integration_name ON integration (account_id, name);

-- One that receives is named by its alias, one that sends has a place to send to and a secret to sign by. Values of
-- headers and secrets are sealed by the keyring; the secret before the last rotation stays good for a while.
CREATE TABLE event_type (
  account_id              bigint NOT NULL,
  event_type_id           uuid NOT NULL,
  integration_id          uuid NOT NULL,
  name                    text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  direction               text NOT NULL CHECK (direction IN ('receive', 'send')),
  alias                   text COLLATE "C" CHECK (alias ~ '^[a-z][a-z0-9-]{0,63}$'),
  fields                  jsonb NOT NULL DEFAULT '[]',
  additional_members      text NOT NULL CHECK (additional_members IN ('keep', 'drop', 'reject')),
  url                     text CHECK (octet_length(url) <= 8192),
  headers                 jsonb NOT NULL DEFAULT '[]',
  signing_secret          bytea,
  previous_signing_secret bytea,
  previous_valid_until    timestamptz,
  version                 bigint NOT NULL DEFAULT 1,
  created_at              timestamptz NOT NULL,
  updated_at              timestamptz NOT NULL,
  PRIMARY KEY (account_id, event_type_id),
  FOREIGN KEY (account_id, integration_id) REFERENCES integration (account_id, integration_id) ON DELETE CASCADE,
  CHECK ((direction = 'receive') = (alias IS NOT NULL)),
  CHECK ((direction = 'send') = (url IS NOT NULL)),
  CHECK ((direction = 'send') = (signing_secret IS NOT NULL)),
  CHECK ((previous_signing_secret IS NULL) = (previous_valid_until IS NULL))
);
CREATE UNIQUE INDEX event_type_alias ON event_type (account_id, alias) WHERE alias IS NOT NULL;
CREATE INDEX event_type_integration ON event_type (account_id, integration_id, event_type_id);

-- Counts changes of an account's integrations and event types, so that who remembers them knows when to read them again.
-- Its row is locked by whoever creates one, so the limits per account are exact.
CREATE TABLE event_type_counter (
  account_id bigint PRIMARY KEY REFERENCES account ON DELETE CASCADE,
  version    bigint NOT NULL DEFAULT 1
);

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['integration', 'event_type', 'event_type_counter'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO shopbell_api', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name IN ('integration', 'event_type', 'event_type_counter')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
-- Types go with their integration, by its foreign key.
GRANT DELETE ON integration, event_type TO shopbell_api;
GRANT UPDATE (name, description, color, image_url, events_enabled, version, updated_at) ON integration TO shopbell_api;
GRANT UPDATE (name, fields, url, headers, signing_secret, previous_signing_secret, previous_valid_until, version,
              updated_at) ON event_type TO shopbell_api;
GRANT UPDATE (version) ON event_type_counter TO shopbell_api;
-- Reports need no secrets.
GRANT SELECT ON integration, event_type_counter TO shopbell_reader;
GRANT SELECT (account_id, event_type_id, integration_id, name, direction, alias, fields, additional_members, url, version,
              created_at, updated_at) ON event_type TO shopbell_reader;
