-- transactional
-- A claim that is asked for twice at once, for the last code of a set: the one that comes second may look for itself
-- before the first is done, and for a code after it. So it looks for itself once more before it says that none is left.

CREATE OR REPLACE FUNCTION claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid,
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
      SELECT c.code INTO code
        FROM coupon_claim k
        JOIN coupon c ON c.account_id = k.account_id AND c.code_key = k.code_key AND c.coupon_set_id = k.coupon_set_id
       WHERE k.account_id = of_account AND k.claim_id = claim;
      outcome := CASE WHEN FOUND THEN 'given' ELSE 'empty' END;
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
