-- transactional
-- Workflows: what shall happen when something happens to a contact. A definition is kept whole, version by version.

CREATE TABLE workflow (
  account_id     bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  workflow_id    uuid NOT NULL,
  alias          text COLLATE "C" NOT NULL CHECK (alias ~ '^[a-z][a-z0-9-]{0,63}$'),
  name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  status         text NOT NULL CHECK (status IN ('draft', 'active', 'paused', 'finished')),
  active_version integer,  -- the one that was published last
  draft_version  integer,  -- the one that is being written
  finish_mode    text CHECK (finish_mode IN ('drain', 'stop')),
  activated_at   timestamptz,
  finished_at    timestamptz,
  version        bigint NOT NULL DEFAULT 1,
  created_at     timestamptz NOT NULL,
  updated_at     timestamptz NOT NULL,
  PRIMARY KEY (account_id, workflow_id),
  CHECK (active_version IS NOT NULL OR draft_version IS NOT NULL),
  CHECK (active_version IS NOT NULL OR status IN ('draft', 'finished')),
  CHECK ((status = 'finished') = (finished_at IS NOT NULL)),
  CHECK ((status = 'finished') = (finish_mode IS NOT NULL))
);
CREATE UNIQUE INDEX workflow_alias ON workflow (account_id, alias);

CREATE TABLE workflow_version (
  account_id   bigint NOT NULL,
  workflow_id  uuid NOT NULL,
  version      integer NOT NULL CHECK (version > 0),
  definition   json NOT NULL,
  created_at   timestamptz NOT NULL,
  published_at timestamptz,
  PRIMARY KEY (account_id, workflow_id, version),
  FOREIGN KEY (account_id, workflow_id) REFERENCES workflow ON DELETE CASCADE
);

-- What a version names. As long as it does, that cannot be deleted: "in use" is a constraint, not a check.
CREATE TABLE workflow_reference (
  account_id    bigint NOT NULL,
  workflow_id   uuid NOT NULL,
  version       integer NOT NULL,
  number        integer NOT NULL,
  field_id      text COLLATE "C",
  event_type_id uuid,
  template_id   uuid,
  coupon_set_id uuid,
  PRIMARY KEY (account_id, workflow_id, version, number),
  FOREIGN KEY (account_id, workflow_id, version) REFERENCES workflow_version ON DELETE CASCADE,
  FOREIGN KEY (account_id, field_id) REFERENCES contact_field (account_id, id) ON DELETE RESTRICT,
  FOREIGN KEY (account_id, event_type_id) REFERENCES event_type (account_id, event_type_id) ON DELETE RESTRICT,
  FOREIGN KEY (account_id, template_id) REFERENCES template (account_id, template_id) ON DELETE RESTRICT,
  FOREIGN KEY (account_id, coupon_set_id) REFERENCES coupon_set (account_id, coupon_set_id) ON DELETE RESTRICT,
  CHECK (num_nonnulls(field_id, event_type_id, template_id, coupon_set_id) = 1)
);
CREATE INDEX workflow_reference_field ON workflow_reference (account_id, field_id) WHERE field_id IS NOT NULL;
CREATE INDEX workflow_reference_event_type ON workflow_reference (account_id, event_type_id)
  WHERE event_type_id IS NOT NULL;
CREATE INDEX workflow_reference_template ON workflow_reference (account_id, template_id) WHERE template_id IS NOT NULL;
CREATE INDEX workflow_reference_coupon_set ON workflow_reference (account_id, coupon_set_id)
  WHERE coupon_set_id IS NOT NULL;

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['workflow', 'workflow_version', 'workflow_reference'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
    EXECUTE format('GRANT SELECT, INSERT ON %I TO shopbell_api', name);
    EXECUTE format('GRANT SELECT ON %I TO shopbell_reader', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name IN ('workflow', 'workflow_version', 'workflow_reference')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
GRANT UPDATE (name, status, active_version, draft_version, finish_mode, activated_at, finished_at, version, updated_at)
   ON workflow TO shopbell_api;
GRANT UPDATE (published_at) ON workflow_version TO shopbell_api;
GRANT DELETE ON workflow_version, workflow_reference TO shopbell_api;
-- What was published stays as it was: a run belongs to its version for good.
CREATE POLICY published_stays ON workflow_version AS RESTRICTIVE FOR DELETE TO shopbell_api USING (published_at IS NULL);
CREATE POLICY published_once ON workflow_version AS RESTRICTIVE FOR UPDATE TO shopbell_api
  USING (published_at IS NULL) WITH CHECK (published_at IS NOT NULL);

-- The workflows that use something, as `usedBy` shows them; one of the last four is asked for. Runs with the rights of
-- whoever asks.
CREATE FUNCTION workflows_using(of_account bigint, of_field text, of_event_type uuid, of_template uuid, of_coupon_set uuid)
  RETURNS json LANGUAGE sql STABLE
  BEGIN ATOMIC
    SELECT coalesce(json_agg(json_build_object('id', w.workflow_id, 'name', w.name) ORDER BY w.workflow_id), '[]')
      FROM workflow w
     WHERE w.account_id = of_account
       AND w.workflow_id IN (SELECT r.workflow_id FROM workflow_reference r
                              WHERE r.account_id = of_account AND r.field_id = of_field
                              UNION ALL
                              SELECT r.workflow_id FROM workflow_reference r
                               WHERE r.account_id = of_account AND r.event_type_id = of_event_type
                              UNION ALL
                              SELECT r.workflow_id FROM workflow_reference r
                               WHERE r.account_id = of_account AND r.template_id = of_template
                              UNION ALL
                              SELECT r.workflow_id FROM workflow_reference r
                               WHERE r.account_id = of_account AND r.coupon_set_id = of_coupon_set);
  END;

CREATE OR REPLACE VIEW shown_coupon_set WITH (security_invoker = true) AS
  SELECT s.account_id, s.coupon_set_id, s.alias, s.name, s.kind, s.code, s.valid_from, s.expires_at, s.low_watermark,
         s.version, s.created_at, s.updated_at, c.total, c.available, c.assigned, c.redeemed,
         workflows_using(s.account_id, NULL, NULL, NULL, s.coupon_set_id) AS used_in_workflows
    FROM coupon_set s
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(k.total), 0)::bigint AS total, coalesce(sum(k.available), 0)::bigint AS available,
            coalesce(sum(k.assigned), 0)::bigint AS assigned, coalesce(sum(k.redeemed), 0)::bigint AS redeemed
       FROM coupon_slot k
      WHERE k.account_id = s.account_id AND k.coupon_set_id = s.coupon_set_id) c;
COMMENT ON COLUMN shown_coupon_set.used_in_workflows IS 'not personal';
