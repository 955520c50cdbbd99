-- transactional
-- Coupons: sets of codes, who was given which, and which purchase used which.

-- Ids that the database makes itself, of the same kind as the application's: later ones sort later.
CREATE FUNCTION uuid_v7() RETURNS uuid LANGUAGE sql VOLATILE
  RETURN encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
                  PLACING substring(int8send(floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
                  FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid;

CREATE TABLE coupon_set (
  account_id    bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  coupon_set_id uuid NOT NULL,
  lane          smallint NOT NULL,
  alias         text COLLATE "C" NOT NULL CHECK (alias ~ '^[a-z][a-z0-9-]{0,63}$'),
  name          text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 255),
  kind          text NOT NULL CHECK (kind IN ('unique', 'shared')),
  code          text,
  valid_from    timestamptz,
  expires_at    timestamptz,
  low_watermark bigint CHECK (low_watermark >= 0),
  is_low        boolean NOT NULL DEFAULT false,  -- and that was told
  version       bigint NOT NULL DEFAULT 1,
  created_at    timestamptz NOT NULL,
  updated_at    timestamptz NOT NULL,
  PRIMARY KEY (account_id, coupon_set_id),
  CHECK ((kind = 'shared') = (code IS NOT NULL)),
  CHECK (expires_at > valid_from)
);
CREATE UNIQUE INDEX coupon_set_alias ON coupon_set (account_id, alias);
CREATE INDEX coupon_set_watched ON coupon_set (account_id, coupon_set_id) WHERE low_watermark IS NOT NULL AND NOT is_low;

-- Every code of every set, the one of a shared set too: whatever is typed into a checkout is found by one look, and no
-- code is in two sets. None of the tables below refers to coupon_set by a key: every claim would lock the one row that
-- all claimers share. What outlives its set is removed later, and belongs to nobody until then.
CREATE TABLE coupon (
  account_id    bigint NOT NULL,
  code_key      text COLLATE "C" NOT NULL,  -- the code without case
  coupon_set_id uuid NOT NULL,
  number        bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  code          text NOT NULL,
  shared        boolean NOT NULL,
  claim_id      uuid,
  redeemed      boolean NOT NULL DEFAULT false,
  added_at      timestamptz NOT NULL,
  PRIMARY KEY (account_id, code_key),
  CHECK (NOT shared OR (claim_id IS NULL AND NOT redeemed))
);
CREATE INDEX coupon_of_set ON coupon (account_id, coupon_set_id, number);
CREATE INDEX coupon_available ON coupon (account_id, coupon_set_id, number)
  WHERE claim_id IS NULL AND NOT redeemed AND NOT shared;
CREATE UNIQUE INDEX coupon_claimed ON coupon (account_id, claim_id) WHERE claim_id IS NOT NULL;

-- Who was given a code. The claimer chooses the id, and whoever comes with the same one gets the same code.
CREATE TABLE coupon_claim (
  account_id    bigint NOT NULL,
  claim_id      uuid NOT NULL,
  coupon_set_id uuid NOT NULL,
  code_key      text COLLATE "C" NOT NULL,
  contact_id    uuid,  -- null once the contact was erased
  run_id        uuid,
  claimed_at    timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, claim_id),
  FOREIGN KEY (account_id, contact_id) REFERENCES contact ON DELETE SET NULL (contact_id)
);
CREATE INDEX coupon_claim_contact ON coupon_claim (account_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX coupon_claim_set ON coupon_claim (account_id, coupon_set_id);

-- Which purchase used a code. One of a unique set is used once; a shared one by as many as like.
CREATE TABLE coupon_redemption (
  account_id    bigint NOT NULL,
  purchase_id   uuid NOT NULL,
  code_key      text COLLATE "C" NOT NULL,
  coupon_set_id uuid NOT NULL,
  contact_id    uuid,
  by_other      boolean NOT NULL,
  redeemed_at   timestamptz NOT NULL,
  PRIMARY KEY (account_id, purchase_id, code_key),
  FOREIGN KEY (account_id, contact_id) REFERENCES contact ON DELETE SET NULL (contact_id)
);
CREATE INDEX coupon_redemption_code ON coupon_redemption (account_id, code_key);
CREATE INDEX coupon_redemption_contact ON coupon_redemption (account_id, contact_id) WHERE contact_id IS NOT NULL;
CREATE INDEX coupon_redemption_set ON coupon_redemption (account_id, coupon_set_id);

-- The counters of a set, in slots that are summed when they are read: exact, and no row that everybody writes.
CREATE TABLE coupon_slot (
  account_id    bigint NOT NULL,
  coupon_set_id uuid NOT NULL,
  slot          smallint NOT NULL CHECK (slot BETWEEN 0 AND 63),
  total         bigint NOT NULL,
  available     bigint NOT NULL,
  assigned      bigint NOT NULL,
  redeemed      bigint NOT NULL,
  PRIMARY KEY (account_id, coupon_set_id, slot)
) WITH (fillfactor = 50);

-- The slot is the session's own: a transaction that counts for many contacts holds one slot of a set, and two
-- transactions at once seldom the same.
CREATE FUNCTION count_coupons(of_account bigint, of_set uuid, more_total bigint, more_available bigint,
                              more_assigned bigint, more_redeemed bigint)
  RETURNS void LANGUAGE sql VOLATILE
  BEGIN ATOMIC
    INSERT INTO coupon_slot AS s (account_id, coupon_set_id, slot, total, available, assigned, redeemed)
    VALUES (of_account, of_set, pg_backend_pid() % 64, more_total, more_available, more_assigned, more_redeemed)
    ON CONFLICT (account_id, coupon_set_id, slot) DO UPDATE
       SET total = s.total + excluded.total, available = s.available + excluded.available,
           assigned = s.assigned + excluded.assigned, redeemed = s.redeemed + excluded.redeemed;
  END;

-- A set as it is shown, with its counters. Runs with the rights of whoever asks.
CREATE VIEW shown_coupon_set WITH (security_invoker = true) AS
  SELECT s.account_id, s.coupon_set_id, s.alias, s.name, s.kind, s.code, s.valid_from, s.expires_at, s.low_watermark,
         s.version, s.created_at, s.updated_at, c.total, c.available, c.assigned, c.redeemed
    FROM coupon_set s
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(k.total), 0)::bigint AS total, coalesce(sum(k.available), 0)::bigint AS available,
            coalesce(sum(k.assigned), 0)::bigint AS assigned, coalesce(sum(k.redeemed), 0)::bigint AS redeemed
       FROM coupon_slot k
      WHERE k.account_id = s.account_id AND k.coupon_set_id = s.coupon_set_id) c;

-- Sets that are gone and whose codes may still be there.
CREATE TABLE dropped_coupon_set (
  account_id    bigint NOT NULL REFERENCES account ON DELETE CASCADE,
  coupon_set_id uuid NOT NULL,
  dropped_at    timestamptz NOT NULL DEFAULT transaction_timestamp(),
  PRIMARY KEY (account_id, coupon_set_id)
);

DO $$
DECLARE name text; col record;
BEGIN
  FOREACH name IN ARRAY ARRAY['coupon_set', 'coupon', 'coupon_claim', 'coupon_redemption', 'coupon_slot',
                              'dropped_coupon_set'] LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY own_account ON %I TO shopbell_api, shopbell_reader USING (account_id = current_account())', name);
  END LOOP;
  FOR col IN SELECT table_name, column_name FROM information_schema.columns
              WHERE table_schema = 'public'
                AND table_name IN ('coupon_set', 'coupon', 'coupon_claim', 'coupon_redemption', 'coupon_slot',
                                   'dropped_coupon_set', 'shown_coupon_set')
  LOOP
    EXECUTE format('COMMENT ON COLUMN %I.%I IS ''not personal''', col.table_name, col.column_name);
  END LOOP;
END $$;
GRANT SELECT ON coupon_set, coupon, coupon_claim, coupon_redemption, coupon_slot, shown_coupon_set
   TO shopbell_api, shopbell_reader;
-- Codes are given out by claim_coupon alone, so the API's role makes no claims.
GRANT INSERT ON coupon_set, coupon, coupon_redemption, coupon_slot, dropped_coupon_set TO shopbell_api;
GRANT DELETE ON coupon_set, coupon, coupon_redemption TO shopbell_api;
GRANT UPDATE (name, valid_from, expires_at, low_watermark, is_low, version, updated_at) ON coupon_set TO shopbell_api;
GRANT UPDATE (redeemed) ON coupon TO shopbell_api;
GRANT UPDATE (contact_id) ON coupon_claim, coupon_redemption TO shopbell_api;  -- contacts merge
GRANT UPDATE (total, available, assigned, redeemed) ON coupon_slot TO shopbell_api;

-- Tells, once, that a set has as few codes left as its owner wants to hear of. Who finds the row locked leaves it: either
-- that one tells it, or the next.
CREATE FUNCTION tell_low_coupon_set(of_account bigint, of_set uuid) RETURNS boolean
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  low  coupon_set;
  here shown_coupon_set;
BEGIN
  SELECT * INTO here FROM shown_coupon_set s WHERE s.account_id = of_account AND s.coupon_set_id = of_set;
  IF NOT FOUND OR here.total = 0 OR here.low_watermark IS NULL OR here.available > here.low_watermark THEN
    RETURN false;
  END IF;
  SELECT * INTO low FROM coupon_set s
   WHERE s.account_id = of_account AND s.coupon_set_id = of_set AND NOT s.is_low
     FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN false; END IF;
  UPDATE coupon_set s SET is_low = true WHERE s.account_id = of_account AND s.coupon_set_id = of_set;
  INSERT INTO event (account_id, uid, lane, subject, kind, format, occurred_at, trigger, hops, source, payload)
  VALUES (of_account, uuid_v7(), low.lane, low.alias, 'coupon-set.low', 1, transaction_timestamp(), 'all', 0, 'service',
          jsonb_build_object('couponSet', low.alias, 'available', here.available, 'lowWatermark', here.low_watermark));
  RETURN true;
END $$;
REVOKE ALL ON FUNCTION tell_low_coupon_set(bigint, uuid) FROM PUBLIC;

-- Claims that ran at the same moment did not see each other; called by any running process, now and then, this tells what
-- the last of them could not know.
CREATE FUNCTION tell_low_coupon_sets(most integer) RETURNS bigint
  LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public
  BEGIN ATOMIC
    SELECT count(*) FILTER (WHERE tell_low_coupon_set(w.account_id, w.coupon_set_id))
      FROM (SELECT s.account_id, s.coupon_set_id FROM coupon_set s
             WHERE s.low_watermark IS NOT NULL AND NOT s.is_low
               AND s.low_watermark >= (SELECT sum(k.available) FROM coupon_slot k
                                        WHERE k.account_id = s.account_id AND k.coupon_set_id = s.coupon_set_id
                                       HAVING sum(k.total) > 0)
             LIMIT most) AS w;
  END;
REVOKE ALL ON FUNCTION tell_low_coupon_sets(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tell_low_coupon_sets(integer) TO shopbell_worker;

-- The one way in which a code is given to a contact. The same claim is given the same code, however often it comes and
-- whatever has happened since; two claims are never given the same code of a unique set. `outcome`: given; or nothing was
-- done, because of empty, expired, no-set, no-contact. Raises SB001 when it cannot know yet: the last codes are being
-- taken by others, who may still let go of them.
CREATE FUNCTION claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid,
                             OUT outcome text, OUT code text)
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  from_set coupon_set;
  person   record;
  given    coupon;
BEGIN
  SELECT c.code INTO code
    FROM coupon_claim k
    JOIN coupon c ON c.account_id = k.account_id AND c.code_key = k.code_key AND c.coupon_set_id = k.coupon_set_id
   WHERE k.account_id = of_account AND k.claim_id = claim;
  IF FOUND THEN
    outcome := 'given';
    RETURN;
  END IF;
  SELECT * INTO from_set FROM coupon_set s WHERE s.account_id = of_account AND s.coupon_set_id = of_set;
  IF NOT FOUND THEN
    outcome := 'no-set';
    RETURN;
  END IF;
  IF from_set.expires_at <= transaction_timestamp() THEN
    outcome := 'expired';
    RETURN;
  END IF;
  SELECT p.contact_id, p.lane INTO person FROM contact p
   WHERE p.account_id = of_account
     AND p.contact_id = coalesce((SELECT m.into_id FROM merged_contact m
                                   WHERE m.account_id = of_account AND m.contact_id = for_contact), for_contact)
     FOR KEY SHARE;
  IF NOT FOUND THEN
    outcome := 'no-contact';
    RETURN;
  END IF;
  IF from_set.kind = 'shared' THEN
    SELECT * INTO given FROM coupon c WHERE c.account_id = of_account AND c.coupon_set_id = of_set LIMIT 1;
  ELSE
    SELECT * INTO given FROM coupon c
     WHERE c.account_id = of_account AND c.coupon_set_id = of_set
       AND c.claim_id IS NULL AND NOT c.redeemed AND NOT c.shared
     ORDER BY c.number LIMIT 1
       FOR UPDATE SKIP LOCKED;
    IF NOT FOUND THEN
      PERFORM require(NOT EXISTS (SELECT FROM coupon c
                                   WHERE c.account_id = of_account AND c.coupon_set_id = of_set
                                     AND c.claim_id IS NULL AND NOT c.redeemed AND NOT c.shared),
                      'SB001', 'the last codes are being taken');
      outcome := 'empty';
      RETURN;
    END IF;
    UPDATE coupon c SET claim_id = claim WHERE c.account_id = of_account AND c.code_key = given.code_key;
  END IF;
  INSERT INTO coupon_claim (account_id, claim_id, coupon_set_id, code_key, contact_id, run_id)
  VALUES (of_account, claim, of_set, given.code_key, person.contact_id, run);
  PERFORM count_coupons(of_account, of_set, 0, CASE WHEN given.shared THEN 0 ELSE -1 END, 1, 0);
  INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
  VALUES (of_account, uuid_v7(), person.lane, person.contact_id, 'coupon.assigned', 1, transaction_timestamp(), 'all', 0,
          'service', jsonb_build_object('couponSet', from_set.alias, 'code', given.code, 'runId', run));
  IF from_set.low_watermark IS NOT NULL AND NOT from_set.is_low THEN
    PERFORM tell_low_coupon_set(of_account, of_set);
  END IF;
  outcome := 'given';
  code := given.code;
END $$;
REVOKE ALL ON FUNCTION claim_coupon(bigint, uuid, uuid, uuid, uuid) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION claim_coupon(bigint, uuid, uuid, uuid, uuid) TO shopbell_worker;

-- Called by any running process, now and then. Removes a batch of what is left of sets that are gone; says how many rows,
-- so that the caller goes on while there are more. A minute passes first: who was still adding codes has done so by then.
CREATE FUNCTION purge_dropped_coupons(most integer) RETURNS bigint
  LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, public AS $$
DECLARE
  dropped dropped_coupon_set;
  removed bigint;
  more    bigint;
BEGIN
  SELECT * INTO dropped FROM dropped_coupon_set
   WHERE dropped_at < transaction_timestamp() - interval '1 minute'
   ORDER BY dropped_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  DELETE FROM coupon c USING (SELECT account_id, code_key FROM coupon
                               WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id
                               LIMIT most) AS batch
   WHERE c.account_id = batch.account_id AND c.code_key = batch.code_key;
  GET DIAGNOSTICS removed = ROW_COUNT;
  DELETE FROM coupon_claim c USING (SELECT account_id, claim_id FROM coupon_claim
                                     WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id
                                     LIMIT most) AS batch
   WHERE c.account_id = batch.account_id AND c.claim_id = batch.claim_id;
  GET DIAGNOSTICS more = ROW_COUNT;
  removed := removed + more;
  DELETE FROM coupon_redemption c USING (SELECT account_id, purchase_id, code_key FROM coupon_redemption
                                          WHERE account_id = dropped.account_id
                                            AND coupon_set_id = dropped.coupon_set_id
                                          LIMIT most) AS batch
   WHERE c.account_id = batch.account_id AND c.purchase_id = batch.purchase_id AND c.code_key = batch.code_key;
  GET DIAGNOSTICS more = ROW_COUNT;
  removed := removed + more;
  IF removed > 0 THEN RETURN removed; END IF;
  DELETE FROM coupon_slot WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id;
  DELETE FROM dropped_coupon_set WHERE account_id = dropped.account_id AND coupon_set_id = dropped.coupon_set_id;
  RETURN 1;
END $$;
REVOKE ALL ON FUNCTION purge_dropped_coupons(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION purge_dropped_coupons(integer) TO shopbell_worker;
