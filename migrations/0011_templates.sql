-- transactional
-- Templates: what messages are made of. Definitions refer to them.

CREATE TABLE template (
  account_id  bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  template_id uuid NOT NULL,
  alias       text COLLATE "C" NOT NULL CHECK (alias ~ '^[a-z][a-z0-9-]{0,63}$'),
  name        text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  version     bigint NOT NULL DEFAULT 1,
  created_at  timestamptz NOT NULL,
  updated_at  timestamptz NOT NULL,
  PRIMARY KEY (account_id, template_id)
);
CREATE UNIQUE INDEX template_alias ON template (account_id, alias);

ALTER TABLE template ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON template TO shopbell_api, shopbell_reader USING (account_id = current_account());
GRANT SELECT, INSERT, DELETE ON template TO shopbell_api;
GRANT SELECT ON template TO shopbell_reader;

DO $$
DECLARE name text;
BEGIN
  FOR name IN SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'template'
  LOOP
    EXECUTE format('COMMENT ON COLUMN template.%I IS ''not personal''', name);
  END LOOP;
END $$;
