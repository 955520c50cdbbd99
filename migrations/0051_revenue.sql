-- transactional
-- Revenue of workflows: the purchases that they led to, and the sums per workflow and node.

-- The node that a code was claimed for: runs are forgotten before their codes.
ALTER TABLE coupon_claim ADD COLUMN workflow_id uuid, ADD COLUMN node text;

-- Claims a code for a visit of a node; null if the set has none, has expired or is gone. With `reuse` it is the contact's
-- last code of the set, unless that is redeemed.
DROP FUNCTION claim_coupon_for_run(bigint, text, uuid, uuid, uuid, boolean);
CREATE FUNCTION claim_coupon_for_run(of_account bigint, set_name text, for_contact uuid, claim uuid, run uuid,
                                     of_workflow uuid, at_node text, reuse boolean)
  RETURNS text LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  from_set uuid;
  held     text;
  claimed  record;
BEGIN
  SELECT s.coupon_set_id INTO from_set FROM coupon_set s
   WHERE s.account_id = of_account AND (s.alias = set_name OR s.coupon_set_id::text = set_name);
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF reuse THEN
    SELECT c.code INTO held
      FROM coupon_claim k
      JOIN coupon c ON c.account_id = k.account_id AND c.code_key = k.code_key AND c.coupon_set_id = k.coupon_set_id
     WHERE k.account_id = of_account AND k.contact_id = for_contact AND k.coupon_set_id = from_set
       AND (c.shared OR NOT c.redeemed)
       AND NOT EXISTS (SELECT FROM coupon_set s WHERE s.account_id = of_account AND s.coupon_set_id = from_set
                          AND s.expires_at <= transaction_timestamp())
     ORDER BY k.claimed_at DESC LIMIT 1;
    IF FOUND THEN RETURN held; END IF;
  END IF;
  SELECT * INTO claimed FROM claim_coupon(of_account, from_set, for_contact, claim, run);
  IF claimed.outcome <> 'given' THEN RETURN NULL; END IF;
  UPDATE coupon_claim k SET workflow_id = of_workflow, node = at_node
   WHERE k.account_id = of_account AND k.claim_id = claim AND k.workflow_id IS NULL;
  RETURN claimed.code;
END $$;
REVOKE ALL ON FUNCTION claim_coupon_for_run(bigint, text, uuid, uuid, uuid, uuid, text, boolean) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_coupon_for_run(bigint, text, uuid, uuid, uuid, uuid, text, boolean) TO shopbell_worker;

-- The workflow that a purchase is attributed to. The key is the store's id, which the events of a purchase name too. No
-- foreign key: the lanes write the row, and the purchase may be deleted meanwhile. They delete it with a later event.
CREATE TABLE purchase_attribution (
  account_id  bigint NOT NULL,
  store_id    text COLLATE "C" NOT NULL,
  purchase_id uuid NOT NULL,             -- of the purchase that had the store's id
  version     bigint NOT NULL,           -- of the purchase that the amount is from
  rule        text NOT NULL,             -- "coupon" or "goal"
  workflow_id uuid NOT NULL,
  node        text,                      -- null if the rule names none
  run_id      uuid NOT NULL,
  message_id  uuid,                      -- null if the rule names none
  amount      numeric(24, 6) NOT NULL,   -- as the totals of the contact count it, in the store's currency
  xid         xid8 NOT NULL DEFAULT pg_current_xact_id(),  -- of the last write, for exports of what has changed
  PRIMARY KEY (account_id, store_id)
) WITH (fillfactor = 90);
CREATE INDEX purchase_attribution_changed ON purchase_attribution (account_id, xid);

ALTER TABLE purchase_attribution ENABLE ROW LEVEL SECURITY;
CREATE POLICY own_account ON purchase_attribution TO shopbell_api, shopbell_reader
 USING (account_id = current_account());
CREATE POLICY every_account ON purchase_attribution TO shopbell_worker USING (true);
GRANT SELECT ON purchase_attribution TO shopbell_api, shopbell_worker, shopbell_reader;
GRANT INSERT, UPDATE, DELETE ON purchase_attribution TO shopbell_worker;
-- The lanes read which codes a purchase redeems, and which runs gave them.
CREATE POLICY every_account ON coupon FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON coupon_claim FOR SELECT TO shopbell_worker USING (true);
CREATE POLICY every_account ON coupon_redemption FOR SELECT TO shopbell_worker USING (true);
GRANT SELECT (account_id, code_key, coupon_set_id, shared, claim_id) ON coupon TO shopbell_worker;
GRANT SELECT (account_id, claim_id, coupon_set_id, code_key, contact_id, run_id, workflow_id, node, claimed_at)
   ON coupon_claim TO shopbell_worker;
GRANT SELECT (account_id, purchase_id, code_key, coupon_set_id, redeemed_at) ON coupon_redemption TO shopbell_worker;

-- Amounts have their own column: in some currencies, millionths of them would exceed a bigint.
ALTER TABLE count_delta ADD COLUMN amount numeric NOT NULL DEFAULT 0;
ALTER TABLE node_count ADD COLUMN amount numeric NOT NULL DEFAULT 0;
CREATE OR REPLACE VIEW workflow_number WITH (security_invoker = true) AS
  SELECT account_id, workflow_id, node, counter, people, amount FROM node_count
  UNION ALL
  SELECT account_id, workflow_id, node, counter, delta, amount FROM count_delta
   WHERE number > (SELECT through FROM count_merge);

-- Appends the difference that a statement makes to the revenue of workflows and nodes. So their sums are those of the
-- attributions at any time, whichever statement changes them.
CREATE FUNCTION count_revenue() RETURNS trigger
  LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO count_delta (account_id, workflow_id, node, counter, delta, amount)
      SELECT r.account_id, r.workflow_id, n.node, 'revenue', 0, -sum(r.amount)
        FROM removed r CROSS JOIN LATERAL (SELECT '' AS node UNION SELECT coalesce(r.node, '')) n
       GROUP BY r.account_id, r.workflow_id, n.node HAVING sum(r.amount) <> 0;
  END IF;
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO count_delta (account_id, workflow_id, node, counter, delta, amount)
      SELECT a.account_id, a.workflow_id, n.node, 'revenue', 0, sum(a.amount)
        FROM added a CROSS JOIN LATERAL (SELECT '' AS node UNION SELECT coalesce(a.node, '')) n
       GROUP BY a.account_id, a.workflow_id, n.node HAVING sum(a.amount) <> 0;
  END IF;
  RETURN NULL;
END $$;
REVOKE ALL ON FUNCTION count_revenue() FROM PUBLIC;
CREATE TRIGGER count_added_revenue AFTER INSERT ON purchase_attribution
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_revenue();
CREATE TRIGGER count_changed_revenue AFTER UPDATE ON purchase_attribution
  REFERENCING OLD TABLE AS removed NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_revenue();
CREATE TRIGGER count_removed_revenue AFTER DELETE ON purchase_attribution
  REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION count_revenue();

-- A purchase as it is shown. The attribution is a subquery, not a join: a page reads it for its own rows only.
CREATE VIEW shown_purchase WITH (security_invoker = true) AS
  SELECT p.account_id, p.purchase_id, p.store_id, p.contact_id, p.lane, p.purchased_at, p.status, p.currency,
         p.net_total, p.store_amount, p.data, p.content_hash, p.told, p.source_updated_at, p.version, p.created_at,
         p.updated_at,
         (SELECT json_build_object('workflowId', a.workflow_id, 'nodeId', a.node, 'messageId', a.message_id,
                                   'rule', a.rule)
            FROM purchase_attribution a
           WHERE a.account_id = p.account_id AND a.store_id = p.store_id AND a.purchase_id = p.purchase_id)
         AS attributed_to
    FROM purchase p;
GRANT SELECT ON shown_purchase TO shopbell_api, shopbell_worker, shopbell_reader;

DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND (table_name IN ('purchase_attribution', 'shown_purchase')
                     OR (table_name = 'coupon_claim' AND column_name IN ('workflow_id', 'node'))
                     OR (table_name IN ('count_delta', 'node_count', 'workflow_number') AND column_name = 'amount'))
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;

-- Accounts whose workflows are published already read purchases too.
UPDATE engine_interest
   SET version = version + 1,
       kinds = ARRAY(SELECT DISTINCT kind
                       FROM unnest(kinds || '{purchase.created, purchase.updated, purchase.deleted}'::text[]) AS kind
                      ORDER BY kind);

CREATE OR REPLACE FUNCTION account_tables() RETURNS text[]
  LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp
  RETURN ARRAY[
    -- Rows that let others write more rows go first: keys, jobs, endpoints, workflows.
    'key_use', 'api_key', 'job', 'webhook_queue', 'webhook', 'engine_interest', 'workflow_schedule',
    'message', 'run', 'run_history', 'enrolment', 'timer', 'subject_wait', 'purchase_attribution', 'count_delta',
    'node_count', 'workflow_reference', 'workflow_version', 'workflow', 'template', 'event_type',
    'event_type_counter', 'integration',
    'coupon_claim', 'coupon_redemption', 'coupon', 'coupon_slot', 'coupon_set', 'purchase', 'consent', 'merged_contact',
    'contact_facet', 'contact', 'contact_field', 'contact_field_counter', 'product',
    'event', 'webhook_delivery', 'webhook_chain', 'event_claim', 'claim', 'import_failure', 'rejected_event',
    'erased_contact', 'erasure', 'suppression', 'dropped_contact_field', 'dropped_coupon_set', 'dropped_webhook',
    'log_parked', 'bucket_use', 'store_usage', 'audit'
    -- A migration that adds a table with an account_id replaces this function, with the table in its place.
  ];
