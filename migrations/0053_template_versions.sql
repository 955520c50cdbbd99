-- transactional
-- Contents of templates, version by version: a draft and the published versions. A version is one JSON document with all
-- its locales.

ALTER TABLE template
  ADD COLUMN published_version integer,  -- the one that was published last
  ADD COLUMN draft_version     integer;  -- the one that is being written

CREATE TABLE template_version (
  account_id   bigint NOT NULL,
  template_id  uuid NOT NULL,
  version      integer NOT NULL CHECK (version > 0),
  content      json NOT NULL,
  created_at   timestamptz NOT NULL,
  published_at timestamptz,
  PRIMARY KEY (account_id, template_id, version),
  FOREIGN KEY (account_id, template_id) REFERENCES template ON DELETE CASCADE
);

ALTER TABLE template_version ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON template_version TO shopbell_api, shopbell_reader USING (account_id = current_account());
-- A published version never changes: messages name it.
CREATE POLICY published_stays ON template_version AS RESTRICTIVE FOR DELETE TO shopbell_api USING (published_at IS NULL);
CREATE POLICY published_once ON template_version AS RESTRICTIVE FOR UPDATE TO shopbell_api
  USING (published_at IS NULL) WITH CHECK (published_at IS NOT NULL);
GRANT SELECT, INSERT, DELETE, UPDATE (published_at) ON template_version TO shopbell_api;
GRANT SELECT ON template_version TO shopbell_reader;
GRANT UPDATE (published_version, draft_version, version, updated_at) ON template TO shopbell_api;

DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND (table_name = 'template_version'
                     OR (table_name = 'template' AND column_name IN ('published_version', 'draft_version')))
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION account_tables() RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN ARRAY[
    -- Rows that let others write more rows go first: keys, jobs, endpoints, workflows.
    'key_use', 'api_key', 'job', 'webhook_queue', 'webhook', 'engine_interest', 'workflow_schedule',
    'message', 'run', 'run_history', 'enrolment', 'timer', 'subject_wait', 'purchase_attribution', 'count_delta',
    'node_count', 'workflow_reference', 'workflow_version', 'workflow', 'template_version', 'template', 'event_type',
    'event_type_counter', 'integration',
    'coupon_claim', 'coupon_redemption', 'coupon', 'coupon_slot', 'coupon_set', 'purchase', 'consent', 'merged_contact',
    'contact_facet', 'contact', 'contact_field', 'contact_field_counter', 'product',
    'event', 'webhook_delivery', 'webhook_chain', 'event_claim', 'claim', 'import_failure', 'rejected_event',
    'erased_contact', 'erasure', 'suppression', 'dropped_contact_field', 'dropped_coupon_set', 'dropped_webhook',
    'log_parked', 'bucket_use', 'store_usage', 'audit'
    -- A migration that adds a table with an account_id replaces this function, with the table in its place.
  ];
