-- transactional
-- Products: what a store sells, under the store's own ids. What only the wire knows is one document.

CREATE TABLE product (
  account_id        bigint NOT NULL,
  product_id        uuid NOT NULL,
  store_id          text COLLATE "C" NOT NULL,
  name_key          text COLLATE "C",
  data              jsonb NOT NULL,
  source_updated_at timestamptz,
  version           bigint NOT NULL DEFAULT 1,
  created_at        timestamptz NOT NULL,
  updated_at        timestamptz NOT NULL,
  PRIMARY KEY (account_id, product_id)
) WITH (fillfactor = 90);
CREATE UNIQUE INDEX product_store_id ON product (account_id, store_id);
CREATE INDEX product_name ON product (account_id, name_key, product_id) WHERE name_key IS NOT NULL;
CREATE INDEX product_updated ON product (account_id, updated_at);

ALTER TABLE product ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON product TO shopbell_api, shopbell_reader USING (account_id = current_account());
GRANT SELECT ON product TO shopbell_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON product TO shopbell_api;

DO $$
DECLARE col text;
BEGIN
  FOR col IN SELECT column_name FROM information_schema.columns WHERE table_schema = 'public' AND table_name = 'product' LOOP
    EXECUTE format('COMMENT ON COLUMN product.%I IS %L', col, 'not personal');
  END LOOP;
END $$;
