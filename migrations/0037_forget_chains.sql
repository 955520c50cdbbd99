-- transactional
-- Chains of contacts that no longer exist are deleted.

-- The position of forget_chains() in webhook_chain.
CREATE TABLE webhook_chain_scan (
  only_row      boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  after_account bigint NOT NULL DEFAULT 0,
  after_webhook uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
  after_lane    smallint NOT NULL DEFAULT 0,
  after_contact uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000'
);
INSERT INTO webhook_chain_scan DEFAULT VALUES;

-- Deletes chains of contacts that were erased or merged, once their last event is older than `kept`: then they have no
-- deliveries, and no event follows. Other chains stay, because they hold the last sequence. Each call reads the next
-- chains of the table, and after the last one starts again. Returns how many it deleted.
CREATE FUNCTION forget_chains(kept interval, most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
  scan webhook_chain_scan;
  page record;
BEGIN
  SELECT * INTO scan FROM webhook_chain_scan FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH looked AS MATERIALIZED (
    SELECT account_id, webhook_id, lane, contact_id, head FROM webhook_chain
     WHERE (account_id, webhook_id, lane, contact_id)
           > (scan.after_account, scan.after_webhook, scan.after_lane, scan.after_contact)
     ORDER BY account_id, webhook_id, lane, contact_id LIMIT most
  ), deleted AS (
    DELETE FROM webhook_chain c USING looked l
     WHERE l.head IS NULL AND l.contact_id <> '00000000-0000-0000-0000-000000000000'
       AND NOT EXISTS (SELECT FROM contact p WHERE p.account_id = l.account_id AND p.contact_id = l.contact_id)
       AND NOT EXISTS (SELECT FROM event e
                        WHERE e.account_id = l.account_id AND e.contact_id = l.contact_id
                          AND e.received_at > transaction_timestamp() - kept)
       AND c.account_id = l.account_id AND c.webhook_id = l.webhook_id AND c.lane = l.lane
       AND c.contact_id = l.contact_id AND c.head IS NULL
    RETURNING 1
  )
  SELECT (SELECT count(*) FROM looked) AS looked, (SELECT count(*) FROM deleted) AS deleted, last.* INTO page
    FROM (SELECT) AS one
    LEFT JOIN (SELECT account_id, webhook_id, lane, contact_id FROM looked
                ORDER BY account_id DESC, webhook_id DESC, lane DESC, contact_id DESC LIMIT 1) AS last ON true;
  IF page.looked < most THEN
    UPDATE webhook_chain_scan
       SET after_account = DEFAULT, after_webhook = DEFAULT, after_lane = DEFAULT, after_contact = DEFAULT;
    RETURN 0;
  END IF;
  UPDATE webhook_chain_scan SET after_account = page.account_id, after_webhook = page.webhook_id,
                                after_lane = page.lane, after_contact = page.contact_id;
  RETURN page.deleted;
END $$;

REVOKE ALL ON FUNCTION forget_chains(interval, integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION forget_chains(interval, integer) TO shopbell_worker;
DO $$
DECLARE col record;
BEGIN
  FOR col IN SELECT column_name FROM information_schema.columns
              WHERE table_schema = 'public' AND table_name = 'webhook_chain_scan'
  LOOP
    EXECUTE format('COMMENT ON COLUMN webhook_chain_scan.%I IS ''not personal''', col.column_name);
  END LOOP;
END $$;
