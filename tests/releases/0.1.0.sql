-- What release 0.1.0 left behind. Made by tools/release-dump, read by tests/upgrade; never changed.
-- key sb_live_wBTYIuC0AeC7SNdevIz9mSFetUjnRz1m4Azx
-- keyring IyBUaGUga2V5cyBvZiB0aGlzIGluc3RhbGxhdGlvbjoga2VlcCBhIGNvcHksIHNob3cgaXQgdG8gbm9ib2R5LiBXaXRob3V0IHRoaXMgZmlsZSBldmVyeSBBUEkga2V5IGlzIHZvaWQuCiMgaWQgY3JlYXRlZCB0YWtlcy1vdmVyIHNlY3JldAoxIDIwMjYtMTEtMTZUMTA6MTM6MjQuOTk2WiAyMDI2LTExLTE2VDEwOjEzOjI0Ljk5NlogNTgyMWY4OWRlOWU4ODdhZGY4ZDg3MDk2M2Y3ZTlhZDNhNTc0MDcyZjY4NDU1OTFiZWVhNWE4NDliOWM0Njg4Nwo=
-- answer /store/ {"id":"01a1e3d8-e869-7103-9018-f570d57bbac0","name":"Bell & Daughters","url":"https://bell.example","timeZone":"Europe/Vienna","currency":"EUR","locale":"de-AT","country":"AT","domains":[],"marketingRequires":"subscribed","sendLimits":{"marketing":{"perDay":null,"perWeek":null}},"limits":{"bodyBytes":1048576,"headerBytes":32768,"pathBytes":8192,"requestsPerSecond":100,"requestBurst":200},"usage":{"contacts":0,"products":0,"purchases":0,"eventsThisMonth":0,"asOf":"2026-11-16T10:13:25.739Z"},"createdAt":"2026-11-16T10:13:25.739Z","updatedAt":"2026-11-16T10:13:27.433Z"}
-- answer /contact-fields/loyaltyLevel {"id":"loyaltyLevel","name":"Loyalty level","type":"choice","indexed":true,"required":false,"defaultValue":"silver","options":[{"id":"silver","label":"Silver"},{"id":"gold","label":"Gold"}],"maxLength":null,"min":null,"max":null,"builtIn":false,"createdAt":"2026-11-16T10:13:27.484Z","updatedAt":"2026-11-16T10:13:27.484Z"}
-- answer /contacts/external-id/c-1042 {"id":"01a1e3d8-ebca-728a-8dd6-01a51cac2e68","email":"eva@example.com","externalId":"c-1042","firstName":"Eva","lastName":"Bell","company":null,"birthDate":null,"phone":"+436641234567","locale":null,"timeZone":null,"country":null,"postalCode":null,"currency":null,"tags":["vip"],"points":10,"fields":{"loyaltyLevel":"gold"},"emailSubscription":"subscribed","smsSubscription":"none","emailStatus":"active","phoneStatus":"active","consent":[{"channel":"email","status":"subscribed","at":"2026-11-16T10:13:26.602Z","source":"checkout","ip":null,"userAgent":null,"wording":null,"method":"singleOptIn"}],"purchases":{"count":2,"totalAmount":"32.10","averageAmount":"16.05","currency":"EUR","byCurrency":[{"currency":"EUR","count":2,"total":"32.10"}],"firstAt":"2026-11-16T10:13:26.945Z","lastAt":"2026-11-16T10:13:28.150Z"},"sourceUpdatedAt":null,"createdAt":"2026-11-16T10:13:26.602Z","updatedAt":"2026-11-16T10:13:28.150Z"}
-- answer /contacts/email/ada@example.com {"id":"01a1e3d8-f2e4-7372-be6c-3fdd350a23cd","email":"ada@example.com","externalId":null,"firstName":"Ada","lastName":null,"company":null,"birthDate":null,"phone":null,"locale":null,"timeZone":null,"country":null,"postalCode":null,"currency":null,"tags":[],"points":1,"fields":{"loyaltyLevel":"silver"},"emailSubscription":"none","smsSubscription":"none","emailStatus":"active","phoneStatus":"active","consent":[],"purchases":{"count":0,"totalAmount":"0.00","averageAmount":null,"currency":null,"byCurrency":[],"firstAt":null,"lastAt":null},"sourceUpdatedAt":null,"createdAt":"2026-11-16T10:13:28.420Z","updatedAt":"2026-11-16T10:13:28.420Z"}
-- answer /products/product-id/bell-1 {"id":"01a1e3d8-ebf4-738b-aa56-481798ef51ec","productId":"bell-1","name":"Bell, brass","url":"https://bell.example/brass","description":null,"brand":null,"sku":null,"gtin":null,"categories":[],"tags":[],"imageUrl":null,"thumbnailUrl":null,"price":"17.90","originalPrice":"19.90","priceWithoutTax":null,"currency":"EUR","prices":{},"availability":null,"stock":12,"rating":null,"ratingCount":null,"reviewCount":null,"priority":null,"hidden":false,"publishedAt":null,"relatedProductIds":[],"attributes":{},"translations":{},"variants":{"large":{"name":null,"sku":null,"gtin":null,"price":"24.90","originalPrice":null,"availability":null,"stock":3,"imageUrl":null,"attributes":{}}},"discount":{"amount":"2.00","percent":"10.050251"},"sourceUpdatedAt":null,"createdAt":"2026-11-16T10:13:26.644Z","updatedAt":"2026-11-16T10:13:26.676Z"}
-- answer /purchases/purchase-id/order-77 {"id":"01a1e3d8-ed21-7162-bd88-3869dc809cd4","purchaseId":"order-77","orderNumber":null,"cartId":"cart-7","contactId":"01a1e3d8-ebca-728a-8dd6-01a51cac2e68","purchasedAt":"2026-11-16T10:13:26.945Z","currency":"EUR","total":"40.00","storeTotal":null,"subtotal":"35.80","shipping":"4.20","tax":null,"taxIncluded":false,"discount":null,"paymentMethod":null,"channel":null,"couponCodes":[],"status":"partiallyRefunded","refunds":[{"refundId":"r1","at":null,"amount":"17.90","reason":"one was dented","lines":[]}],"shippingCountry":null,"trackingUrls":[],"orderUrl":null,"attributes":{},"lines":[{"lineId":"1","productId":"bell-1","variantId":null,"sku":null,"name":null,"quantity":"2","unitPrice":"17.90","originalUnitPrice":null,"discount":null,"tax":null,"total":"35.80","brand":null,"categories":[],"tags":[],"url":null,"imageUrl":null,"attributes":{}}],"quantity":"2","refundedTotal":"17.90","netTotal":"22.10","attributedTo":null,"sourceUpdatedAt":null,"createdAt":"2026-11-16T10:13:26.945Z","updatedAt":"2026-11-16T10:13:27.092Z"}
-- answer /purchases/purchase-id/order-88 {"id":"01a1e3d8-f1d6-708e-b569-cb6c487191be","purchaseId":"order-88","orderNumber":null,"cartId":null,"contactId":"01a1e3d8-ebca-728a-8dd6-01a51cac2e68","purchasedAt":"2026-11-16T10:13:28.150Z","currency":"EUR","total":"10.00","storeTotal":null,"subtotal":null,"shipping":null,"tax":null,"taxIncluded":false,"discount":null,"paymentMethod":null,"channel":null,"couponCodes":["BELL-7F3K"],"status":"placed","refunds":[],"shippingCountry":null,"trackingUrls":[],"orderUrl":null,"attributes":{},"lines":[{"lineId":null,"productId":null,"variantId":null,"sku":null,"name":null,"quantity":"1","unitPrice":null,"originalUnitPrice":null,"discount":null,"tax":null,"total":null,"brand":null,"categories":[],"tags":[],"url":null,"imageUrl":null,"attributes":{}}],"quantity":"1","refundedTotal":"0.00","netTotal":"10.00","attributedTo":null,"sourceUpdatedAt":null,"createdAt":"2026-11-16T10:13:28.150Z","updatedAt":"2026-11-16T10:13:28.150Z"}
-- answer /coupon-sets/ten-percent {"id":"01a1e3d8-f094-7172-b646-ebc597069e14","alias":"ten-percent","name":"Ten percent off","kind":"unique","code":null,"total":3,"available":2,"assigned":1,"redeemed":1,"validFrom":null,"expiresAt":null,"lowWatermark":null,"usedInWorkflows":[{"id":"01a1e3d8-f21e-73cb-9a37-029fb52ce833","name":"Reminder"}],"createdAt":"2026-11-16T10:13:27.828Z","updatedAt":"2026-11-16T10:13:27.828Z"}
-- answer /manage/templates/cart-reminder {"id":"01a1e3d8-f205-735b-9ea0-9c8deda92223","alias":"cart-reminder","name":"Cart reminder","createdAt":"2026-11-16T10:13:28.197Z","updatedAt":"2026-11-16T10:13:28.197Z"}
-- answer /workflows/reminder {"id":"01a1e3d8-f21e-73cb-9a37-029fb52ce833","status":"active","running":false,"version":1,"draftVersion":null,"stats":{"entered":0,"active":0,"completed":0,"exited":0,"converted":0,"revenue":{"amount":"0.00","currency":"EUR"}},"activatedAt":"2026-11-16T10:13:28.261Z","finishedAt":null,"createdAt":"2026-11-16T10:13:28.222Z","updatedAt":"2026-11-16T10:13:28.261Z","alias":"reminder","name":"Reminder","description":null,"priority":0,"tags":[],"trigger":{"event":"contact.created"},"reentry":null,"exitOn":null,"goal":null,"quietHours":null,"sendWindow":null,"nodes":[{"id":"gift","type":"coupon","couponSet":"ten-percent","as":"gift","next":"mail"},{"id":"mail","type":"email","template":"cart-reminder","class":"marketing"}]}

SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET transaction_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;

CREATE FUNCTION public.analyze_grown() RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
DECLARE
  grown regclass;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('shopbell.analyze_grown')) THEN RETURN 0; END IF;
  SELECT c.oid INTO grown
    FROM pg_class c
   WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
     AND c.relowner = current_user::regrole  -- of others PostgreSQL would say that it was left out, each time anew
     AND pg_relation_size(c.oid) / current_setting('block_size')::integer > 2 * greatest(c.relpages, 8)
   LIMIT 1;
  IF NOT FOUND THEN RETURN 0; END IF;
  EXECUTE format('ANALYZE %s', grown);
  RETURN 1;
END $$;

CREATE FUNCTION public.claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid, OUT outcome text, OUT code text) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
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

SET default_tablespace = '';

SET default_table_access_method = heap;

CREATE TABLE public.contact_facet (
    account_id bigint NOT NULL,
    facet bigint NOT NULL,
    value text NOT NULL COLLATE pg_catalog."C",
    contact_id uuid NOT NULL
);

COMMENT ON COLUMN public.contact_facet.account_id IS 'not personal';

COMMENT ON COLUMN public.contact_facet.facet IS 'not personal';

COMMENT ON COLUMN public.contact_facet.value IS 'personal';

COMMENT ON COLUMN public.contact_facet.contact_id IS 'not personal';

CREATE FUNCTION public.contact_has(account bigint, contact uuid, kinds bigint[], wanted text[], or_absent boolean[]) RETURNS boolean
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT ((cardinality(kinds) = 0) OR (NOT (EXISTS ( SELECT
            FROM UNNEST(contact_has.kinds, contact_has.wanted, contact_has.or_absent) w(kind, value, absent)
           WHERE ((NOT (EXISTS ( SELECT
                    FROM public.contact_facet f
                   WHERE ((f.account_id = contact_has.account) AND (f.facet = w.kind) AND (f.value = w.value) AND (f.contact_id = contact_has.contact))))) AND (NOT (w.absent AND (NOT (EXISTS ( SELECT
                    FROM public.contact_facet f
                   WHERE ((f.account_id = contact_has.account) AND (f.contact_id = contact_has.contact) AND (f.facet = w.kind))))))))))));
END;

CREATE TABLE public.coupon_slot (
    account_id bigint NOT NULL,
    coupon_set_id uuid NOT NULL,
    slot smallint NOT NULL,
    total bigint NOT NULL,
    available bigint NOT NULL,
    assigned bigint NOT NULL,
    redeemed bigint NOT NULL,
    CONSTRAINT coupon_slot_slot_check CHECK (((slot >= 0) AND (slot <= 63)))
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.coupon_slot.account_id IS 'not personal';

COMMENT ON COLUMN public.coupon_slot.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.coupon_slot.slot IS 'not personal';

COMMENT ON COLUMN public.coupon_slot.total IS 'not personal';

COMMENT ON COLUMN public.coupon_slot.available IS 'not personal';

COMMENT ON COLUMN public.coupon_slot.assigned IS 'not personal';

COMMENT ON COLUMN public.coupon_slot.redeemed IS 'not personal';

CREATE FUNCTION public.count_coupons(of_account bigint, of_set uuid, more_total bigint, more_available bigint, more_assigned bigint, more_redeemed bigint) RETURNS void
    LANGUAGE sql
    BEGIN ATOMIC
 INSERT INTO public.coupon_slot AS s (account_id, coupon_set_id, slot, total, available, assigned, redeemed)
   VALUES (count_coupons.of_account, count_coupons.of_set, (pg_backend_pid() % 64), count_coupons.more_total, count_coupons.more_available, count_coupons.more_assigned, count_coupons.more_redeemed) ON CONFLICT(account_id, coupon_set_id, slot) DO UPDATE SET total = (s.total + excluded.total), available = (s.available + excluded.available), assigned = (s.assigned + excluded.assigned), redeemed = (s.redeemed + excluded.redeemed);
END;

CREATE FUNCTION public.count_usage(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
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

CREATE FUNCTION public.current_account() RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (NULLIF(current_setting('shopbell.account'::text, true), ''::text))::bigint;

CREATE TABLE public.claim (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
)
PARTITION BY HASH (key_hash);

COMMENT ON COLUMN public.claim.account_id IS 'not personal';

COMMENT ON COLUMN public.claim.kind IS 'not personal';

COMMENT ON COLUMN public.claim.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim.answer IS 'personal';

COMMENT ON COLUMN public.claim.made_at IS 'not personal';

CREATE FUNCTION public.delete_expired_claims(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 WITH expired AS (
          SELECT claim.account_id,
             claim.kind,
             claim.key_hash
            FROM public.claim
           WHERE (claim.made_at <= (transaction_timestamp() - '7 days'::interval))
          LIMIT delete_expired_claims.most
          FOR UPDATE OF claim SKIP LOCKED
         ), gone AS (
          DELETE FROM public.claim AS c
            USING expired e
           WHERE ((c.account_id = e.account_id) AND (c.kind = e.kind) AND (c.key_hash = e.key_hash))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE TABLE public.event_claim (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
)
PARTITION BY HASH (key_hash);

COMMENT ON COLUMN public.event_claim.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim.made_at IS 'not personal';

CREATE FUNCTION public.delete_expired_event_claims(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 WITH expired AS (
          SELECT event_claim.account_id,
             event_claim.key_hash
            FROM public.event_claim
           WHERE (event_claim.made_at <= (transaction_timestamp() - '35 days'::interval))
          LIMIT delete_expired_event_claims.most
          FOR UPDATE OF event_claim SKIP LOCKED
         ), gone AS (
          DELETE FROM public.event_claim AS c
            USING expired e
           WHERE ((c.account_id = e.account_id) AND (c.key_hash = e.key_hash))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE TABLE public.erasure (
    account_id bigint NOT NULL,
    identifier_hash bytea NOT NULL,
    erased_at timestamp with time zone NOT NULL,
    CONSTRAINT erasure_identifier_hash_check CHECK ((octet_length(identifier_hash) = 32))
);

COMMENT ON COLUMN public.erasure.account_id IS 'not personal';

COMMENT ON COLUMN public.erasure.identifier_hash IS 'not personal';

COMMENT ON COLUMN public.erasure.erased_at IS 'not personal';

CREATE FUNCTION public.delete_old_erasures(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 WITH old AS (
          SELECT erasure.account_id,
             erasure.identifier_hash
            FROM public.erasure
           WHERE (erasure.erased_at < (transaction_timestamp() - '30 days'::interval))
          LIMIT delete_old_erasures.most
          FOR UPDATE OF erasure SKIP LOCKED
         ), gone AS (
          DELETE FROM public.erasure AS e
            USING old o
           WHERE ((e.account_id = o.account_id) AND (e.identifier_hash = o.identifier_hash))
           RETURNING 1 AS "?column?"
         )
  SELECT count(*) AS count
    FROM gone;
END;

CREATE FUNCTION public.drop_facets() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
BEGIN
  DELETE FROM contact_facet WHERE account_id = OLD.account_id AND contact_id = OLD.contact_id;
  RETURN NULL;
END $$;

CREATE TABLE public.account (
    account_id bigint NOT NULL,
    live_account_id bigint,
    id uuid NOT NULL,
    state text DEFAULT 'active'::text NOT NULL,
    name text NOT NULL,
    url text,
    time_zone text NOT NULL,
    currency text NOT NULL,
    locale text NOT NULL,
    country text,
    domains text[] DEFAULT '{}'::text[] NOT NULL,
    marketing_requires text DEFAULT 'subscribed'::text NOT NULL,
    marketing_per_day integer,
    marketing_per_week integer,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    updated_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    requests_per_second integer,
    request_burst integer,
    CONSTRAINT account_country_check CHECK ((country ~ '^[A-Z]{2}$'::text)),
    CONSTRAINT account_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT account_marketing_per_day_check CHECK ((marketing_per_day >= 0)),
    CONSTRAINT account_marketing_per_week_check CHECK ((marketing_per_week >= 0)),
    CONSTRAINT account_marketing_requires_check CHECK ((marketing_requires = ANY (ARRAY['subscribed'::text, 'notUnsubscribed'::text]))),
    CONSTRAINT account_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT account_request_burst_check CHECK ((request_burst > 0)),
    CONSTRAINT account_requests_per_second_check CHECK ((requests_per_second > 0)),
    CONSTRAINT account_state_check CHECK ((state = ANY (ARRAY['active'::text, 'suspended'::text]))),
    CONSTRAINT account_url_check CHECK ((octet_length(url) <= 2048))
);

COMMENT ON COLUMN public.account.account_id IS 'not personal';

COMMENT ON COLUMN public.account.live_account_id IS 'not personal';

COMMENT ON COLUMN public.account.id IS 'not personal';

COMMENT ON COLUMN public.account.state IS 'not personal';

COMMENT ON COLUMN public.account.name IS 'not personal';

COMMENT ON COLUMN public.account.url IS 'not personal';

COMMENT ON COLUMN public.account.time_zone IS 'not personal';

COMMENT ON COLUMN public.account.currency IS 'not personal';

COMMENT ON COLUMN public.account.locale IS 'not personal';

COMMENT ON COLUMN public.account.country IS 'not personal';

COMMENT ON COLUMN public.account.domains IS 'not personal';

COMMENT ON COLUMN public.account.marketing_requires IS 'not personal';

COMMENT ON COLUMN public.account.marketing_per_day IS 'not personal';

COMMENT ON COLUMN public.account.marketing_per_week IS 'not personal';

COMMENT ON COLUMN public.account.version IS 'not personal';

COMMENT ON COLUMN public.account.created_at IS 'not personal';

COMMENT ON COLUMN public.account.updated_at IS 'not personal';

COMMENT ON COLUMN public.account.requests_per_second IS 'not personal';

COMMENT ON COLUMN public.account.request_burst IS 'not personal';

CREATE TABLE public.api_key (
    account_id bigint NOT NULL,
    key_id uuid NOT NULL,
    name text NOT NULL,
    hash bytea NOT NULL,
    hint text NOT NULL,
    scopes text[] NOT NULL,
    created_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    requests_per_second integer,
    request_burst integer,
    allowed_addresses text[] DEFAULT '{}'::text[] NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT api_key_hash_check CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT api_key_request_burst_check CHECK ((request_burst > 0)),
    CONSTRAINT api_key_requests_per_second_check CHECK ((requests_per_second > 0))
);

COMMENT ON COLUMN public.api_key.account_id IS 'not personal';

COMMENT ON COLUMN public.api_key.key_id IS 'not personal';

COMMENT ON COLUMN public.api_key.name IS 'not personal';

COMMENT ON COLUMN public.api_key.hash IS 'not personal';

COMMENT ON COLUMN public.api_key.hint IS 'not personal';

COMMENT ON COLUMN public.api_key.scopes IS 'not personal';

COMMENT ON COLUMN public.api_key.created_at IS 'not personal';

COMMENT ON COLUMN public.api_key.expires_at IS 'not personal';

COMMENT ON COLUMN public.api_key.revoked_at IS 'not personal';

COMMENT ON COLUMN public.api_key.requests_per_second IS 'not personal';

COMMENT ON COLUMN public.api_key.request_burst IS 'not personal';

COMMENT ON COLUMN public.api_key.allowed_addresses IS 'not personal';

COMMENT ON COLUMN public.api_key.version IS 'not personal';

COMMENT ON COLUMN public.api_key.updated_at IS 'not personal';

CREATE FUNCTION public.find_key(hashes bytea[]) RETURNS TABLE(account_id bigint, key_id uuid, scopes text[], state text, expired boolean, revoked boolean, allowed_addresses text[], account_requests_per_second integer, account_request_burst integer, key_requests_per_second integer, key_request_burst integer)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 SELECT k.account_id,
     k.key_id,
     k.scopes,
     a.state,
     COALESCE((k.expires_at <= transaction_timestamp()), false) AS "coalesce",
     (k.revoked_at IS NOT NULL),
     k.allowed_addresses,
     a.requests_per_second,
     a.request_burst,
     k.requests_per_second,
     k.request_burst
    FROM (public.api_key k
      JOIN public.account a ON ((a.account_id = k.account_id)))
   WHERE (k.hash = ANY (find_key.hashes));
END;

CREATE FUNCTION public.forget_erased(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
DECLARE
  person erased_contact;
  seen bigint;
BEGIN
  SELECT * INTO person FROM erased_contact
   WHERE due_at <= transaction_timestamp() ORDER BY due_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  WITH batch AS MATERIALIZED (
    SELECT e.kind, e.received_at, e.id FROM event e
     WHERE e.account_id = person.account_id AND e.contact_id = person.contact_id
       AND (e.kind, e.received_at, e.id) > (coalesce(person.kind, ''), coalesce(person.received_at, '-infinity'),
                                            coalesce(person.id, 0))
     ORDER BY e.kind, e.received_at, e.id LIMIT most
  ), forgotten AS (
    UPDATE event e SET payload = NULL FROM batch b
     WHERE e.account_id = person.account_id AND e.received_at = b.received_at AND e.id = b.id
       AND e.payload IS NOT NULL AND e.kind <> 'contact.deleted'
  )
  SELECT last.kind, last.received_at, last.id, (SELECT count(*) FROM batch)
    INTO person.kind, person.received_at, person.id, seen
    FROM (SELECT) AS one
    LEFT JOIN (SELECT * FROM batch ORDER BY kind DESC, received_at DESC, id DESC LIMIT 1) AS last ON true;
  IF seen < most THEN
    person.round := person.round + 1;
    person.due_at := person.erased_at + CASE person.round WHEN 2 THEN interval '10 minutes' ELSE interval '23 hours' END;
    person.kind := NULL;
    person.received_at := NULL;
    person.id := NULL;
  END IF;
  IF person.round > 3 THEN
    DELETE FROM erased_contact WHERE account_id = person.account_id AND contact_id = person.contact_id;
  ELSE
    UPDATE erased_contact
       SET due_at = person.due_at, round = person.round, kind = person.kind, received_at = person.received_at, id = person.id
     WHERE account_id = person.account_id AND contact_id = person.contact_id;
  END IF;
  RETURN seen + 1;
END $$;

CREATE FUNCTION public.keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) RETURNS record
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    SET lock_timeout TO '50ms'
    AS $$
DECLARE
  this_month CONSTANT timestamp := date_trunc('month', transaction_timestamp() AT TIME ZONE 'UTC');
  named      CONSTANT text := '"event_"YYYY_MM';
  bound      CONSTANT text := 'YYYY-MM-DD"T"HH24:MI:SS"+00"';
  month timestamp;
  name  text;
BEGIN
  IF retention < interval '31 days' OR ahead NOT BETWEEN 0 AND 12 THEN
    RAISE EXCEPTION 'events are kept for 31 days at least, and partitions made for 12 months ahead at most'
      USING ERRCODE = 'invalid_parameter_value';
  END IF;
  made := '{}';
  dropped := '{}';
  IF pg_try_advisory_xact_lock(hashtextextended('keep_event_partitions', 0)) THEN
    FOR i IN 0..ahead LOOP
      month := this_month + make_interval(months => i);
      name := to_char(month, named);
      CONTINUE WHEN to_regclass(format('public.%I', name)) IS NOT NULL;
      BEGIN
        -- Made alone and then attached: PARTITION OF would lock out every reader and writer.
        EXECUTE format('CREATE TABLE public.%I (LIKE public.event INCLUDING ALL EXCLUDING IDENTITY)', name);
        EXECUTE format('ALTER TABLE public.%I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE public.event ATTACH PARTITION public.%I FOR VALUES FROM (%L) TO (%L)', name,
                       to_char(month, bound), to_char(month + interval '1 month', bound));
        made := made || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
    FOR name IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
       WHERE i.inhparent = 'public.event'::regclass
         AND c.relname < to_char((transaction_timestamp() AT TIME ZONE 'UTC') - retention, named)
       ORDER BY c.relname
    LOOP
      BEGIN
        EXECUTE format('ALTER TABLE public.event DETACH PARTITION public.%I', name);
        EXECUTE format('DROP TABLE public.%I', name);
        dropped := dropped || name;
      EXCEPTION WHEN lock_not_available THEN EXIT;
      END;
    END LOOP;
  END IF;
  covered := to_regclass(format('public.%I', to_char(this_month, named))) IS NOT NULL;
END $$;

CREATE FUNCTION public.note_move() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
  NEW.moved_xid := pg_current_xact_id();
  RETURN NEW;
END $$;

CREATE FUNCTION public.purge_dropped_coupons(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
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

CREATE FUNCTION public.purge_dropped_fields(most integer) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
DECLARE
  dropped dropped_contact_field;
  seen    uuid[];
BEGIN
  SELECT * INTO dropped FROM dropped_contact_field
   WHERE dropped_at < transaction_timestamp() - interval '1 minute'
   ORDER BY dropped_at LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN 0; END IF;
  SELECT array_agg(contact_id) INTO seen FROM (
    SELECT contact_id FROM contact
     WHERE account_id = dropped.account_id AND contact_id > coalesce(dropped.done_until, '00000000-0000-0000-0000-000000000000')
     ORDER BY contact_id LIMIT most) AS batch;
  IF seen IS NULL THEN
    DELETE FROM dropped_contact_field WHERE account_id = dropped.account_id AND number = dropped.number;
    RETURN 1;
  END IF;
  UPDATE contact SET fields = fields - dropped.number::text
   WHERE account_id = dropped.account_id AND contact_id = ANY (seen) AND fields ? dropped.number::text;
  DELETE FROM contact_facet
   WHERE account_id = dropped.account_id AND facet = dropped.number AND contact_id = ANY (seen);
  UPDATE dropped_contact_field SET done_until = seen[cardinality(seen)]
   WHERE account_id = dropped.account_id AND number = dropped.number;
  RETURN cardinality(seen);
END $$;

CREATE FUNCTION public.require(condition boolean, state text, message text) RETURNS void
    LANGUAGE plpgsql STABLE
    AS $$
BEGIN
  IF condition IS NOT TRUE THEN
    RAISE EXCEPTION USING ERRCODE = state, MESSAGE = message;
  END IF;
END $$;

CREATE FUNCTION public.tell_low_coupon_set(of_account bigint, of_set uuid) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    AS $$
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

CREATE TABLE public.coupon_set (
    account_id bigint NOT NULL,
    coupon_set_id uuid NOT NULL,
    lane smallint NOT NULL,
    alias text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    kind text NOT NULL,
    code text,
    valid_from timestamp with time zone,
    expires_at timestamp with time zone,
    low_watermark bigint,
    is_low boolean DEFAULT false NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT coupon_set_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT coupon_set_check CHECK (((kind = 'shared'::text) = (code IS NOT NULL))),
    CONSTRAINT coupon_set_check1 CHECK ((expires_at > valid_from)),
    CONSTRAINT coupon_set_kind_check CHECK ((kind = ANY (ARRAY['unique'::text, 'shared'::text]))),
    CONSTRAINT coupon_set_low_watermark_check CHECK ((low_watermark >= 0)),
    CONSTRAINT coupon_set_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.coupon_set.account_id IS 'not personal';

COMMENT ON COLUMN public.coupon_set.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.coupon_set.lane IS 'not personal';

COMMENT ON COLUMN public.coupon_set.alias IS 'not personal';

COMMENT ON COLUMN public.coupon_set.name IS 'not personal';

COMMENT ON COLUMN public.coupon_set.kind IS 'not personal';

COMMENT ON COLUMN public.coupon_set.code IS 'not personal';

COMMENT ON COLUMN public.coupon_set.valid_from IS 'not personal';

COMMENT ON COLUMN public.coupon_set.expires_at IS 'not personal';

COMMENT ON COLUMN public.coupon_set.low_watermark IS 'not personal';

COMMENT ON COLUMN public.coupon_set.is_low IS 'not personal';

COMMENT ON COLUMN public.coupon_set.version IS 'not personal';

COMMENT ON COLUMN public.coupon_set.created_at IS 'not personal';

COMMENT ON COLUMN public.coupon_set.updated_at IS 'not personal';

CREATE FUNCTION public.tell_low_coupon_sets(most integer) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO 'pg_catalog', 'public'
    BEGIN ATOMIC
 SELECT count(*) FILTER (WHERE public.tell_low_coupon_set(w.account_id, w.coupon_set_id)) AS count
    FROM ( SELECT s.account_id,
             s.coupon_set_id
            FROM public.coupon_set s
           WHERE ((s.low_watermark IS NOT NULL) AND (NOT s.is_low) AND ((s.low_watermark)::numeric >= ( SELECT sum(k.available) AS sum
                    FROM public.coupon_slot k
                   WHERE ((k.account_id = s.account_id) AND (k.coupon_set_id = s.coupon_set_id))
                  HAVING (sum(k.total) > (0)::numeric))))
          LIMIT tell_low_coupon_sets.most) w;
END;

CREATE FUNCTION public.uuid_v7() RETURNS uuid
    LANGUAGE sql
    RETURN (encode(set_bit(set_bit(OVERLAY(uuid_send(gen_random_uuid()) PLACING SUBSTRING(int8send((floor((EXTRACT(epoch FROM clock_timestamp()) * (1000)::numeric)))::bigint) FROM 3) FROM 1 FOR 6), (52)::bigint, 1), (53)::bigint, 1), 'hex'::text))::uuid;

CREATE TABLE public.workflow (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    alias text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    status text NOT NULL,
    active_version integer,
    draft_version integer,
    finish_mode text,
    activated_at timestamp with time zone,
    finished_at timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT workflow_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT workflow_check CHECK (((active_version IS NOT NULL) OR (draft_version IS NOT NULL))),
    CONSTRAINT workflow_check1 CHECK (((active_version IS NOT NULL) OR (status = ANY (ARRAY['draft'::text, 'finished'::text])))),
    CONSTRAINT workflow_check2 CHECK (((status = 'finished'::text) = (finished_at IS NOT NULL))),
    CONSTRAINT workflow_check3 CHECK (((status = 'finished'::text) = (finish_mode IS NOT NULL))),
    CONSTRAINT workflow_finish_mode_check CHECK ((finish_mode = ANY (ARRAY['drain'::text, 'stop'::text]))),
    CONSTRAINT workflow_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT workflow_status_check CHECK ((status = ANY (ARRAY['draft'::text, 'active'::text, 'paused'::text, 'finished'::text])))
);

COMMENT ON COLUMN public.workflow.account_id IS 'not personal';

COMMENT ON COLUMN public.workflow.workflow_id IS 'not personal';

COMMENT ON COLUMN public.workflow.alias IS 'not personal';

COMMENT ON COLUMN public.workflow.name IS 'not personal';

COMMENT ON COLUMN public.workflow.status IS 'not personal';

COMMENT ON COLUMN public.workflow.active_version IS 'not personal';

COMMENT ON COLUMN public.workflow.draft_version IS 'not personal';

COMMENT ON COLUMN public.workflow.finish_mode IS 'not personal';

COMMENT ON COLUMN public.workflow.activated_at IS 'not personal';

COMMENT ON COLUMN public.workflow.finished_at IS 'not personal';

COMMENT ON COLUMN public.workflow.version IS 'not personal';

COMMENT ON COLUMN public.workflow.created_at IS 'not personal';

COMMENT ON COLUMN public.workflow.updated_at IS 'not personal';

CREATE TABLE public.workflow_reference (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    number integer NOT NULL,
    field_id text COLLATE pg_catalog."C",
    event_type_id uuid,
    template_id uuid,
    coupon_set_id uuid,
    CONSTRAINT workflow_reference_check CHECK ((num_nonnulls(field_id, event_type_id, template_id, coupon_set_id) = 1))
);

COMMENT ON COLUMN public.workflow_reference.account_id IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.workflow_id IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.version IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.number IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.field_id IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.event_type_id IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.template_id IS 'not personal';

COMMENT ON COLUMN public.workflow_reference.coupon_set_id IS 'not personal';

CREATE FUNCTION public.workflows_using(of_account bigint, of_field text, of_event_type uuid, of_template uuid, of_coupon_set uuid) RETURNS json
    LANGUAGE sql STABLE
    BEGIN ATOMIC
 SELECT COALESCE(json_agg(json_build_object('id', w.workflow_id, 'name', w.name) ORDER BY w.workflow_id), '[]'::json) AS "coalesce"
    FROM public.workflow w
   WHERE ((w.account_id = workflows_using.of_account) AND (w.workflow_id IN ( SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.field_id = workflows_using.of_field))
         UNION ALL
          SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.event_type_id = workflows_using.of_event_type))
         UNION ALL
          SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.template_id = workflows_using.of_template))
         UNION ALL
          SELECT r.workflow_id
            FROM public.workflow_reference r
           WHERE ((r.account_id = workflows_using.of_account) AND (r.coupon_set_id = workflows_using.of_coupon_set)))));
END;

CREATE UNLOGGED TABLE public.bucket_use (
    account_id bigint NOT NULL,
    bucket uuid NOT NULL,
    process uuid NOT NULL,
    counted_from bigint NOT NULL,
    used bigint NOT NULL,
    used_before bigint NOT NULL,
    wanted bigint NOT NULL,
    wanted_before bigint NOT NULL,
    remaining bigint NOT NULL,
    at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.bucket_use.account_id IS 'not personal';

COMMENT ON COLUMN public.bucket_use.bucket IS 'not personal';

COMMENT ON COLUMN public.bucket_use.process IS 'not personal';

COMMENT ON COLUMN public.bucket_use.counted_from IS 'not personal';

COMMENT ON COLUMN public.bucket_use.used IS 'not personal';

COMMENT ON COLUMN public.bucket_use.used_before IS 'not personal';

COMMENT ON COLUMN public.bucket_use.wanted IS 'not personal';

COMMENT ON COLUMN public.bucket_use.wanted_before IS 'not personal';

COMMENT ON COLUMN public.bucket_use.remaining IS 'not personal';

COMMENT ON COLUMN public.bucket_use.at IS 'not personal';

CREATE TABLE public.claim_0 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_0.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_0.kind IS 'not personal';

COMMENT ON COLUMN public.claim_0.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_0.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_0.answer IS 'personal';

COMMENT ON COLUMN public.claim_0.made_at IS 'not personal';

CREATE TABLE public.claim_1 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_1.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_1.kind IS 'not personal';

COMMENT ON COLUMN public.claim_1.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_1.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_1.answer IS 'personal';

COMMENT ON COLUMN public.claim_1.made_at IS 'not personal';

CREATE TABLE public.claim_2 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_2.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_2.kind IS 'not personal';

COMMENT ON COLUMN public.claim_2.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_2.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_2.answer IS 'personal';

COMMENT ON COLUMN public.claim_2.made_at IS 'not personal';

CREATE TABLE public.claim_3 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_3.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_3.kind IS 'not personal';

COMMENT ON COLUMN public.claim_3.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_3.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_3.answer IS 'personal';

COMMENT ON COLUMN public.claim_3.made_at IS 'not personal';

CREATE TABLE public.claim_4 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_4.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_4.kind IS 'not personal';

COMMENT ON COLUMN public.claim_4.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_4.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_4.answer IS 'personal';

COMMENT ON COLUMN public.claim_4.made_at IS 'not personal';

CREATE TABLE public.claim_5 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_5.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_5.kind IS 'not personal';

COMMENT ON COLUMN public.claim_5.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_5.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_5.answer IS 'personal';

COMMENT ON COLUMN public.claim_5.made_at IS 'not personal';

CREATE TABLE public.claim_6 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_6.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_6.kind IS 'not personal';

COMMENT ON COLUMN public.claim_6.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_6.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_6.answer IS 'personal';

COMMENT ON COLUMN public.claim_6.made_at IS 'not personal';

CREATE TABLE public.claim_7 (
    account_id bigint NOT NULL,
    kind text NOT NULL,
    key_hash bytea NOT NULL,
    request_hash bytea NOT NULL,
    answer bytea NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT claim_key_hash_check CHECK ((octet_length(key_hash) = 32)),
    CONSTRAINT claim_kind_check CHECK ((kind = 'answer'::text))
);

COMMENT ON COLUMN public.claim_7.account_id IS 'not personal';

COMMENT ON COLUMN public.claim_7.kind IS 'not personal';

COMMENT ON COLUMN public.claim_7.key_hash IS 'not personal';

COMMENT ON COLUMN public.claim_7.request_hash IS 'not personal';

COMMENT ON COLUMN public.claim_7.answer IS 'personal';

COMMENT ON COLUMN public.claim_7.made_at IS 'not personal';

CREATE TABLE public.consent (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    channel text NOT NULL,
    at timestamp with time zone NOT NULL,
    status text NOT NULL,
    source text,
    ip text,
    user_agent text,
    wording text,
    method text,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    CONSTRAINT consent_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
    CONSTRAINT consent_method_check CHECK ((method = ANY (ARRAY['singleOptIn'::text, 'doubleOptIn'::text, 'softOptIn'::text, 'imported'::text]))),
    CONSTRAINT consent_status_check CHECK ((status = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text, 'pending'::text, 'none'::text])))
);

COMMENT ON COLUMN public.consent.account_id IS 'not personal';

COMMENT ON COLUMN public.consent.contact_id IS 'not personal';

COMMENT ON COLUMN public.consent.channel IS 'not personal';

COMMENT ON COLUMN public.consent.at IS 'not personal';

COMMENT ON COLUMN public.consent.status IS 'not personal';

COMMENT ON COLUMN public.consent.source IS 'personal';

COMMENT ON COLUMN public.consent.ip IS 'personal';

COMMENT ON COLUMN public.consent.user_agent IS 'personal';

COMMENT ON COLUMN public.consent.wording IS 'personal';

COMMENT ON COLUMN public.consent.method IS 'not personal';

COMMENT ON COLUMN public.consent.received_at IS 'not personal';

CREATE TABLE public.contact (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    lane smallint NOT NULL,
    email text,
    email_key text COLLATE pg_catalog."C",
    external_id text COLLATE pg_catalog."C",
    first_name text,
    last_name text,
    name_key text COLLATE pg_catalog."C",
    surname_key text COLLATE pg_catalog."C",
    company text,
    birth_date text,
    phone text COLLATE pg_catalog."C",
    locale text,
    time_zone text,
    country text,
    postal_code text,
    currency text,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    points bigint DEFAULT 0 NOT NULL,
    fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    email_subscription text DEFAULT 'none'::text NOT NULL,
    email_subscription_at timestamp with time zone,
    sms_subscription text DEFAULT 'none'::text NOT NULL,
    sms_subscription_at timestamp with time zone,
    email_status text DEFAULT 'active'::text NOT NULL,
    phone_status text DEFAULT 'active'::text NOT NULL,
    has_consent boolean DEFAULT false NOT NULL,
    source_updated_at timestamp with time zone,
    event_seq bigint DEFAULT 0 NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    purchases jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT contact_check CHECK (((email_key IS NOT NULL) OR (external_id IS NOT NULL))),
    CONSTRAINT contact_check1 CHECK (((email IS NULL) = (email_key IS NULL))),
    CONSTRAINT contact_email_status_check CHECK ((email_status = ANY (ARRAY['active'::text, 'paused'::text, 'bounced'::text, 'complained'::text]))),
    CONSTRAINT contact_email_subscription_check CHECK ((email_subscription = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text, 'pending'::text, 'none'::text]))),
    CONSTRAINT contact_phone_status_check CHECK ((phone_status = ANY (ARRAY['active'::text, 'paused'::text, 'bounced'::text, 'complained'::text]))),
    CONSTRAINT contact_sms_subscription_check CHECK ((sms_subscription = ANY (ARRAY['subscribed'::text, 'unsubscribed'::text, 'pending'::text, 'none'::text])))
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.contact.account_id IS 'not personal';

COMMENT ON COLUMN public.contact.contact_id IS 'not personal';

COMMENT ON COLUMN public.contact.lane IS 'not personal';

COMMENT ON COLUMN public.contact.email IS 'personal';

COMMENT ON COLUMN public.contact.email_key IS 'personal';

COMMENT ON COLUMN public.contact.external_id IS 'personal';

COMMENT ON COLUMN public.contact.first_name IS 'personal';

COMMENT ON COLUMN public.contact.last_name IS 'personal';

COMMENT ON COLUMN public.contact.name_key IS 'personal';

COMMENT ON COLUMN public.contact.surname_key IS 'personal';

COMMENT ON COLUMN public.contact.company IS 'personal';

COMMENT ON COLUMN public.contact.birth_date IS 'personal';

COMMENT ON COLUMN public.contact.phone IS 'personal';

COMMENT ON COLUMN public.contact.locale IS 'personal';

COMMENT ON COLUMN public.contact.time_zone IS 'personal';

COMMENT ON COLUMN public.contact.country IS 'personal';

COMMENT ON COLUMN public.contact.postal_code IS 'personal';

COMMENT ON COLUMN public.contact.currency IS 'personal';

COMMENT ON COLUMN public.contact.tags IS 'personal';

COMMENT ON COLUMN public.contact.points IS 'personal';

COMMENT ON COLUMN public.contact.fields IS 'personal';

COMMENT ON COLUMN public.contact.email_subscription IS 'personal';

COMMENT ON COLUMN public.contact.email_subscription_at IS 'not personal';

COMMENT ON COLUMN public.contact.sms_subscription IS 'personal';

COMMENT ON COLUMN public.contact.sms_subscription_at IS 'not personal';

COMMENT ON COLUMN public.contact.email_status IS 'not personal';

COMMENT ON COLUMN public.contact.phone_status IS 'not personal';

COMMENT ON COLUMN public.contact.has_consent IS 'not personal';

COMMENT ON COLUMN public.contact.source_updated_at IS 'not personal';

COMMENT ON COLUMN public.contact.event_seq IS 'not personal';

COMMENT ON COLUMN public.contact.version IS 'not personal';

COMMENT ON COLUMN public.contact.created_at IS 'not personal';

COMMENT ON COLUMN public.contact.updated_at IS 'not personal';

COMMENT ON COLUMN public.contact.purchases IS 'personal';

CREATE TABLE public.contact_field (
    account_id bigint NOT NULL,
    id text NOT NULL COLLATE pg_catalog."C",
    number bigint NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    indexed boolean NOT NULL,
    required boolean NOT NULL,
    default_value json,
    options json DEFAULT '[]'::json NOT NULL,
    max_length integer,
    min json,
    max json,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT contact_field_check CHECK (((NOT required) OR (default_value IS NOT NULL))),
    CONSTRAINT contact_field_id_check CHECK ((id ~ '^[a-z][a-zA-Z0-9_]{0,63}$'::text)),
    CONSTRAINT contact_field_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT contact_field_number_check CHECK ((number > 0))
);

COMMENT ON COLUMN public.contact_field.account_id IS 'not personal';

COMMENT ON COLUMN public.contact_field.id IS 'not personal';

COMMENT ON COLUMN public.contact_field.number IS 'not personal';

COMMENT ON COLUMN public.contact_field.name IS 'not personal';

COMMENT ON COLUMN public.contact_field.type IS 'not personal';

COMMENT ON COLUMN public.contact_field.indexed IS 'not personal';

COMMENT ON COLUMN public.contact_field.required IS 'not personal';

COMMENT ON COLUMN public.contact_field.default_value IS 'not personal';

COMMENT ON COLUMN public.contact_field.options IS 'not personal';

COMMENT ON COLUMN public.contact_field.max_length IS 'not personal';

COMMENT ON COLUMN public.contact_field.min IS 'not personal';

COMMENT ON COLUMN public.contact_field.max IS 'not personal';

COMMENT ON COLUMN public.contact_field.version IS 'not personal';

COMMENT ON COLUMN public.contact_field.created_at IS 'not personal';

COMMENT ON COLUMN public.contact_field.updated_at IS 'not personal';

CREATE TABLE public.contact_field_counter (
    account_id bigint NOT NULL,
    last_number bigint NOT NULL,
    version bigint DEFAULT 1 NOT NULL
);

COMMENT ON COLUMN public.contact_field_counter.account_id IS 'not personal';

COMMENT ON COLUMN public.contact_field_counter.last_number IS 'not personal';

COMMENT ON COLUMN public.contact_field_counter.version IS 'not personal';

CREATE TABLE public.coupon (
    account_id bigint NOT NULL,
    code_key text NOT NULL COLLATE pg_catalog."C",
    coupon_set_id uuid NOT NULL,
    number bigint NOT NULL,
    code text NOT NULL,
    shared boolean NOT NULL,
    claim_id uuid,
    redeemed boolean DEFAULT false NOT NULL,
    added_at timestamp with time zone NOT NULL,
    CONSTRAINT coupon_check CHECK (((NOT shared) OR ((claim_id IS NULL) AND (NOT redeemed))))
);

COMMENT ON COLUMN public.coupon.account_id IS 'not personal';

COMMENT ON COLUMN public.coupon.code_key IS 'not personal';

COMMENT ON COLUMN public.coupon.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.coupon.number IS 'not personal';

COMMENT ON COLUMN public.coupon.code IS 'not personal';

COMMENT ON COLUMN public.coupon.shared IS 'not personal';

COMMENT ON COLUMN public.coupon.claim_id IS 'not personal';

COMMENT ON COLUMN public.coupon.redeemed IS 'not personal';

COMMENT ON COLUMN public.coupon.added_at IS 'not personal';

CREATE TABLE public.coupon_claim (
    account_id bigint NOT NULL,
    claim_id uuid NOT NULL,
    coupon_set_id uuid NOT NULL,
    code_key text NOT NULL COLLATE pg_catalog."C",
    contact_id uuid,
    run_id uuid,
    claimed_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.coupon_claim.account_id IS 'not personal';

COMMENT ON COLUMN public.coupon_claim.claim_id IS 'not personal';

COMMENT ON COLUMN public.coupon_claim.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.coupon_claim.code_key IS 'not personal';

COMMENT ON COLUMN public.coupon_claim.contact_id IS 'not personal';

COMMENT ON COLUMN public.coupon_claim.run_id IS 'not personal';

COMMENT ON COLUMN public.coupon_claim.claimed_at IS 'not personal';

ALTER TABLE public.coupon ALTER COLUMN number ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.coupon_number_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.coupon_redemption (
    account_id bigint NOT NULL,
    purchase_id uuid NOT NULL,
    code_key text NOT NULL COLLATE pg_catalog."C",
    coupon_set_id uuid NOT NULL,
    contact_id uuid,
    by_other boolean NOT NULL,
    redeemed_at timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.coupon_redemption.account_id IS 'not personal';

COMMENT ON COLUMN public.coupon_redemption.purchase_id IS 'not personal';

COMMENT ON COLUMN public.coupon_redemption.code_key IS 'not personal';

COMMENT ON COLUMN public.coupon_redemption.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.coupon_redemption.contact_id IS 'not personal';

COMMENT ON COLUMN public.coupon_redemption.by_other IS 'not personal';

COMMENT ON COLUMN public.coupon_redemption.redeemed_at IS 'not personal';

CREATE TABLE public.dropped_contact_field (
    account_id bigint NOT NULL,
    number bigint NOT NULL,
    dropped_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    done_until uuid
);

COMMENT ON COLUMN public.dropped_contact_field.account_id IS 'not personal';

COMMENT ON COLUMN public.dropped_contact_field.number IS 'not personal';

COMMENT ON COLUMN public.dropped_contact_field.dropped_at IS 'not personal';

COMMENT ON COLUMN public.dropped_contact_field.done_until IS 'not personal';

CREATE TABLE public.dropped_coupon_set (
    account_id bigint NOT NULL,
    coupon_set_id uuid NOT NULL,
    dropped_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.dropped_coupon_set.account_id IS 'not personal';

COMMENT ON COLUMN public.dropped_coupon_set.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.dropped_coupon_set.dropped_at IS 'not personal';

CREATE TABLE public.erased_contact (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    erased_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    due_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    round smallint DEFAULT 1 NOT NULL,
    kind text COLLATE pg_catalog."C",
    received_at timestamp with time zone,
    id bigint
);

COMMENT ON COLUMN public.erased_contact.account_id IS 'not personal';

COMMENT ON COLUMN public.erased_contact.contact_id IS 'not personal';

COMMENT ON COLUMN public.erased_contact.erased_at IS 'not personal';

COMMENT ON COLUMN public.erased_contact.due_at IS 'not personal';

COMMENT ON COLUMN public.erased_contact.round IS 'not personal';

COMMENT ON COLUMN public.erased_contact.kind IS 'not personal';

COMMENT ON COLUMN public.erased_contact.received_at IS 'not personal';

COMMENT ON COLUMN public.erased_contact.id IS 'not personal';

CREATE TABLE public.event (
    account_id bigint NOT NULL,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    id bigint NOT NULL,
    uid uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid,
    contact_seq bigint,
    subject text,
    kind text NOT NULL COLLATE pg_catalog."C",
    format smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    trigger text NOT NULL,
    hops smallint NOT NULL,
    cause_uid uuid,
    source text NOT NULL,
    trace text,
    payload jsonb,
    CONSTRAINT event_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
)
PARTITION BY RANGE (received_at);

COMMENT ON COLUMN public.event.account_id IS 'not personal';

COMMENT ON COLUMN public.event.received_at IS 'not personal';

COMMENT ON COLUMN public.event.id IS 'not personal';

COMMENT ON COLUMN public.event.uid IS 'not personal';

COMMENT ON COLUMN public.event.xid IS 'not personal';

COMMENT ON COLUMN public.event.lane IS 'not personal';

COMMENT ON COLUMN public.event.contact_id IS 'not personal';

COMMENT ON COLUMN public.event.contact_seq IS 'not personal';

COMMENT ON COLUMN public.event.subject IS 'not personal';

COMMENT ON COLUMN public.event.kind IS 'not personal';

COMMENT ON COLUMN public.event.format IS 'not personal';

COMMENT ON COLUMN public.event.occurred_at IS 'not personal';

COMMENT ON COLUMN public.event.trigger IS 'not personal';

COMMENT ON COLUMN public.event.hops IS 'not personal';

COMMENT ON COLUMN public.event.cause_uid IS 'not personal';

COMMENT ON COLUMN public.event.source IS 'not personal';

COMMENT ON COLUMN public.event.trace IS 'not personal';

COMMENT ON COLUMN public.event.payload IS 'personal';

CREATE TABLE public.event_2026_11 (
    account_id bigint NOT NULL,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    id bigint NOT NULL,
    uid uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid,
    contact_seq bigint,
    subject text,
    kind text NOT NULL COLLATE pg_catalog."C",
    format smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    trigger text NOT NULL,
    hops smallint NOT NULL,
    cause_uid uuid,
    source text NOT NULL,
    trace text,
    payload jsonb,
    CONSTRAINT event_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
);

COMMENT ON COLUMN public.event_2026_11.account_id IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.received_at IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.id IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.uid IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.xid IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.lane IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.contact_seq IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.subject IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.kind IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.format IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.occurred_at IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.trigger IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.hops IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.cause_uid IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.source IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.trace IS 'not personal';

COMMENT ON COLUMN public.event_2026_11.payload IS 'personal';

CREATE TABLE public.event_2026_12 (
    account_id bigint NOT NULL,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    id bigint NOT NULL,
    uid uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid,
    contact_seq bigint,
    subject text,
    kind text NOT NULL COLLATE pg_catalog."C",
    format smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    trigger text NOT NULL,
    hops smallint NOT NULL,
    cause_uid uuid,
    source text NOT NULL,
    trace text,
    payload jsonb,
    CONSTRAINT event_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
);

COMMENT ON COLUMN public.event_2026_12.account_id IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.received_at IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.id IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.uid IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.xid IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.lane IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.contact_seq IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.subject IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.kind IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.format IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.occurred_at IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.trigger IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.hops IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.cause_uid IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.source IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.trace IS 'not personal';

COMMENT ON COLUMN public.event_2026_12.payload IS 'personal';

CREATE TABLE public.event_2027_01 (
    account_id bigint NOT NULL,
    received_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL,
    id bigint NOT NULL,
    uid uuid NOT NULL,
    xid xid8 DEFAULT pg_current_xact_id() NOT NULL,
    lane smallint NOT NULL,
    contact_id uuid,
    contact_seq bigint,
    subject text,
    kind text NOT NULL COLLATE pg_catalog."C",
    format smallint NOT NULL,
    occurred_at timestamp with time zone NOT NULL,
    trigger text NOT NULL,
    hops smallint NOT NULL,
    cause_uid uuid,
    source text NOT NULL,
    trace text,
    payload jsonb,
    CONSTRAINT event_lane_check CHECK (((lane >= 0) AND (lane <= 1023)))
);

COMMENT ON COLUMN public.event_2027_01.account_id IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.received_at IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.id IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.uid IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.xid IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.lane IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.contact_seq IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.subject IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.kind IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.format IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.occurred_at IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.trigger IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.hops IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.cause_uid IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.source IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.trace IS 'not personal';

COMMENT ON COLUMN public.event_2027_01.payload IS 'personal';

CREATE TABLE public.event_claim_0 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_0.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_0.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_0.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_0.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_0.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_0.made_at IS 'not personal';

CREATE TABLE public.event_claim_1 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_1.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_1.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_1.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_1.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_1.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_1.made_at IS 'not personal';

CREATE TABLE public.event_claim_2 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_2.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_2.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_2.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_2.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_2.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_2.made_at IS 'not personal';

CREATE TABLE public.event_claim_3 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_3.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_3.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_3.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_3.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_3.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_3.made_at IS 'not personal';

CREATE TABLE public.event_claim_4 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_4.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_4.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_4.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_4.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_4.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_4.made_at IS 'not personal';

CREATE TABLE public.event_claim_5 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_5.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_5.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_5.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_5.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_5.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_5.made_at IS 'not personal';

CREATE TABLE public.event_claim_6 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_6.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_6.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_6.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_6.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_6.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_6.made_at IS 'not personal';

CREATE TABLE public.event_claim_7 (
    account_id bigint NOT NULL,
    key_hash uuid NOT NULL,
    content_hash uuid NOT NULL,
    uid uuid NOT NULL,
    contact_id uuid NOT NULL,
    made_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.event_claim_7.account_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_7.key_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_7.content_hash IS 'not personal';

COMMENT ON COLUMN public.event_claim_7.uid IS 'not personal';

COMMENT ON COLUMN public.event_claim_7.contact_id IS 'not personal';

COMMENT ON COLUMN public.event_claim_7.made_at IS 'not personal';

ALTER TABLE public.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

CREATE TABLE public.event_type (
    account_id bigint NOT NULL,
    event_type_id uuid NOT NULL,
    integration_id uuid NOT NULL,
    name text NOT NULL,
    direction text NOT NULL,
    alias text COLLATE pg_catalog."C",
    fields jsonb DEFAULT '[]'::jsonb NOT NULL,
    additional_members text NOT NULL,
    url text,
    headers jsonb DEFAULT '[]'::jsonb NOT NULL,
    signing_secret bytea,
    previous_signing_secret bytea,
    previous_valid_until timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT event_type_additional_members_check CHECK ((additional_members = ANY (ARRAY['keep'::text, 'drop'::text, 'reject'::text]))),
    CONSTRAINT event_type_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT event_type_check CHECK (((direction = 'receive'::text) = (alias IS NOT NULL))),
    CONSTRAINT event_type_check1 CHECK (((direction = 'send'::text) = (url IS NOT NULL))),
    CONSTRAINT event_type_check2 CHECK (((direction = 'send'::text) = (signing_secret IS NOT NULL))),
    CONSTRAINT event_type_check3 CHECK (((previous_signing_secret IS NULL) = (previous_valid_until IS NULL))),
    CONSTRAINT event_type_direction_check CHECK ((direction = ANY (ARRAY['receive'::text, 'send'::text]))),
    CONSTRAINT event_type_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255))),
    CONSTRAINT event_type_url_check CHECK ((octet_length(url) <= 8192))
);

COMMENT ON COLUMN public.event_type.account_id IS 'not personal';

COMMENT ON COLUMN public.event_type.event_type_id IS 'not personal';

COMMENT ON COLUMN public.event_type.integration_id IS 'not personal';

COMMENT ON COLUMN public.event_type.name IS 'not personal';

COMMENT ON COLUMN public.event_type.direction IS 'not personal';

COMMENT ON COLUMN public.event_type.alias IS 'not personal';

COMMENT ON COLUMN public.event_type.fields IS 'not personal';

COMMENT ON COLUMN public.event_type.additional_members IS 'not personal';

COMMENT ON COLUMN public.event_type.url IS 'not personal';

COMMENT ON COLUMN public.event_type.headers IS 'not personal';

COMMENT ON COLUMN public.event_type.signing_secret IS 'not personal';

COMMENT ON COLUMN public.event_type.previous_signing_secret IS 'not personal';

COMMENT ON COLUMN public.event_type.previous_valid_until IS 'not personal';

COMMENT ON COLUMN public.event_type.version IS 'not personal';

COMMENT ON COLUMN public.event_type.created_at IS 'not personal';

COMMENT ON COLUMN public.event_type.updated_at IS 'not personal';

CREATE TABLE public.event_type_counter (
    account_id bigint NOT NULL,
    version bigint DEFAULT 1 NOT NULL
);

COMMENT ON COLUMN public.event_type_counter.account_id IS 'not personal';

COMMENT ON COLUMN public.event_type_counter.version IS 'not personal';

CREATE TABLE public.import_failure (
    account_id bigint NOT NULL,
    job_id uuid NOT NULL,
    "row" bigint NOT NULL,
    pointer text NOT NULL,
    code text NOT NULL,
    detail text NOT NULL,
    line text NOT NULL
);

COMMENT ON COLUMN public.import_failure.account_id IS 'not personal';

COMMENT ON COLUMN public.import_failure.job_id IS 'not personal';

COMMENT ON COLUMN public.import_failure."row" IS 'not personal';

COMMENT ON COLUMN public.import_failure.pointer IS 'not personal';

COMMENT ON COLUMN public.import_failure.code IS 'not personal';

COMMENT ON COLUMN public.import_failure.detail IS 'personal';

COMMENT ON COLUMN public.import_failure.line IS 'personal';

CREATE TABLE public.integration (
    account_id bigint NOT NULL,
    integration_id uuid NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    description text,
    color text,
    image_url text,
    events_enabled boolean NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT integration_color_check CHECK ((color ~ '^#[0-9a-f]{6}$'::text)),
    CONSTRAINT integration_image_url_check CHECK ((octet_length(image_url) <= 8192)),
    CONSTRAINT integration_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.integration.account_id IS 'not personal';

COMMENT ON COLUMN public.integration.integration_id IS 'not personal';

COMMENT ON COLUMN public.integration.name IS 'not personal';

COMMENT ON COLUMN public.integration.description IS 'not personal';

COMMENT ON COLUMN public.integration.color IS 'not personal';

COMMENT ON COLUMN public.integration.image_url IS 'not personal';

COMMENT ON COLUMN public.integration.events_enabled IS 'not personal';

COMMENT ON COLUMN public.integration.version IS 'not personal';

COMMENT ON COLUMN public.integration.created_at IS 'not personal';

COMMENT ON COLUMN public.integration.updated_at IS 'not personal';

CREATE TABLE public.job (
    account_id bigint NOT NULL,
    job_id uuid NOT NULL,
    kind text NOT NULL COLLATE pg_catalog."C",
    type text NOT NULL COLLATE pg_catalog."C",
    state text DEFAULT 'queued'::text NOT NULL COLLATE pg_catalog."C",
    attempt integer DEFAULT 0 NOT NULL,
    generation bigint DEFAULT 0 NOT NULL,
    leased_until timestamp with time zone,
    done bigint DEFAULT 0 NOT NULL,
    total bigint,
    options jsonb NOT NULL,
    result jsonb,
    error jsonb,
    key_id uuid,
    queued_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    finished_at timestamp with time zone,
    expires_at timestamp with time zone,
    CONSTRAINT job_check CHECK (((state = 'inProgress'::text) = (leased_until IS NOT NULL))),
    CONSTRAINT job_kind_check CHECK ((kind = ANY (ARRAY['export'::text, 'import'::text]))),
    CONSTRAINT job_state_check CHECK ((state = ANY (ARRAY['queued'::text, 'inProgress'::text, 'finished'::text, 'error'::text, 'cancelled'::text, 'expired'::text])))
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.job.account_id IS 'not personal';

COMMENT ON COLUMN public.job.job_id IS 'not personal';

COMMENT ON COLUMN public.job.kind IS 'not personal';

COMMENT ON COLUMN public.job.type IS 'not personal';

COMMENT ON COLUMN public.job.state IS 'not personal';

COMMENT ON COLUMN public.job.attempt IS 'not personal';

COMMENT ON COLUMN public.job.generation IS 'not personal';

COMMENT ON COLUMN public.job.leased_until IS 'not personal';

COMMENT ON COLUMN public.job.done IS 'not personal';

COMMENT ON COLUMN public.job.total IS 'not personal';

COMMENT ON COLUMN public.job.options IS 'not personal';

COMMENT ON COLUMN public.job.result IS 'not personal';

COMMENT ON COLUMN public.job.error IS 'not personal';

COMMENT ON COLUMN public.job.key_id IS 'not personal';

COMMENT ON COLUMN public.job.queued_at IS 'not personal';

COMMENT ON COLUMN public.job.updated_at IS 'not personal';

COMMENT ON COLUMN public.job.started_at IS 'not personal';

COMMENT ON COLUMN public.job.finished_at IS 'not personal';

COMMENT ON COLUMN public.job.expires_at IS 'not personal';

CREATE UNLOGGED TABLE public.key_use (
    account_id bigint NOT NULL,
    key_id uuid NOT NULL,
    last_used_at timestamp with time zone NOT NULL,
    deprecated_requests bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');

COMMENT ON COLUMN public.key_use.account_id IS 'not personal';

COMMENT ON COLUMN public.key_use.key_id IS 'not personal';

COMMENT ON COLUMN public.key_use.last_used_at IS 'not personal';

COMMENT ON COLUMN public.key_use.deprecated_requests IS 'not personal';

CREATE TABLE public.merged_contact (
    account_id bigint NOT NULL,
    contact_id uuid NOT NULL,
    lane smallint NOT NULL,
    into_id uuid NOT NULL,
    merged_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.merged_contact.account_id IS 'not personal';

COMMENT ON COLUMN public.merged_contact.contact_id IS 'not personal';

COMMENT ON COLUMN public.merged_contact.lane IS 'not personal';

COMMENT ON COLUMN public.merged_contact.into_id IS 'not personal';

COMMENT ON COLUMN public.merged_contact.merged_at IS 'not personal';

CREATE TABLE public.product (
    account_id bigint NOT NULL,
    product_id uuid NOT NULL,
    store_id text NOT NULL COLLATE pg_catalog."C",
    name_key text COLLATE pg_catalog."C",
    data jsonb NOT NULL,
    source_updated_at timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.product.account_id IS 'not personal';

COMMENT ON COLUMN public.product.product_id IS 'not personal';

COMMENT ON COLUMN public.product.store_id IS 'not personal';

COMMENT ON COLUMN public.product.name_key IS 'not personal';

COMMENT ON COLUMN public.product.data IS 'not personal';

COMMENT ON COLUMN public.product.source_updated_at IS 'not personal';

COMMENT ON COLUMN public.product.version IS 'not personal';

COMMENT ON COLUMN public.product.created_at IS 'not personal';

COMMENT ON COLUMN public.product.updated_at IS 'not personal';

CREATE TABLE public.purchase (
    account_id bigint NOT NULL,
    purchase_id uuid NOT NULL,
    store_id text NOT NULL COLLATE pg_catalog."C",
    contact_id uuid,
    lane smallint NOT NULL,
    purchased_at timestamp with time zone NOT NULL,
    status text NOT NULL COLLATE pg_catalog."C",
    currency text NOT NULL COLLATE pg_catalog."C",
    net_total numeric(24,6) NOT NULL,
    store_amount numeric(24,6),
    data jsonb NOT NULL,
    content_hash bytea NOT NULL,
    told text[] DEFAULT '{}'::text[] NOT NULL,
    source_updated_at timestamp with time zone,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    moved_xid xid8
)
WITH (fillfactor='90');

COMMENT ON COLUMN public.purchase.account_id IS 'not personal';

COMMENT ON COLUMN public.purchase.purchase_id IS 'not personal';

COMMENT ON COLUMN public.purchase.store_id IS 'not personal';

COMMENT ON COLUMN public.purchase.contact_id IS 'not personal';

COMMENT ON COLUMN public.purchase.lane IS 'not personal';

COMMENT ON COLUMN public.purchase.purchased_at IS 'not personal';

COMMENT ON COLUMN public.purchase.status IS 'not personal';

COMMENT ON COLUMN public.purchase.currency IS 'not personal';

COMMENT ON COLUMN public.purchase.net_total IS 'not personal';

COMMENT ON COLUMN public.purchase.store_amount IS 'not personal';

COMMENT ON COLUMN public.purchase.data IS 'not personal';

COMMENT ON COLUMN public.purchase.content_hash IS 'not personal';

COMMENT ON COLUMN public.purchase.told IS 'not personal';

COMMENT ON COLUMN public.purchase.source_updated_at IS 'not personal';

COMMENT ON COLUMN public.purchase.version IS 'not personal';

COMMENT ON COLUMN public.purchase.created_at IS 'not personal';

COMMENT ON COLUMN public.purchase.updated_at IS 'not personal';

COMMENT ON COLUMN public.purchase.moved_xid IS 'not personal';

CREATE TABLE public.schema_migration (
    number integer NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.schema_migration.number IS 'not personal';

COMMENT ON COLUMN public.schema_migration.name IS 'not personal';

COMMENT ON COLUMN public.schema_migration.checksum IS 'not personal';

COMMENT ON COLUMN public.schema_migration.applied_at IS 'not personal';

CREATE VIEW public.shown_contact WITH (security_invoker='true') AS
 SELECT account_id,
    contact_id,
    lane,
    email,
    email_key,
    external_id,
    first_name,
    last_name,
    name_key,
    surname_key,
    company,
    birth_date,
    phone,
    locale,
    time_zone,
    country,
    postal_code,
    currency,
    tags,
    points,
    fields,
    email_subscription,
    email_subscription_at,
    sms_subscription,
    sms_subscription_at,
    email_status,
    phone_status,
    has_consent,
    source_updated_at,
    event_seq,
    version,
    created_at,
    updated_at,
    ( SELECT f.version
           FROM public.contact_field_counter f
          WHERE (f.account_id = c.account_id)) AS fields_version,
        CASE
            WHEN has_consent THEN ( SELECT json_agg(h.entry ORDER BY h.at DESC, h.channel, h.status) AS json_agg
               FROM ( SELECT k.at,
                        k.channel,
                        k.status,
                        json_build_object('channel', k.channel, 'status', k.status, 'at', to_char((k.at AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text), 'source', k.source, 'ip', k.ip, 'userAgent', k.user_agent, 'wording', k.wording, 'method', k.method) AS entry
                       FROM public.consent k
                      WHERE ((k.account_id = c.account_id) AND (k.contact_id = c.contact_id))
                      ORDER BY k.at DESC, k.channel, k.status
                     LIMIT 100) h)
            ELSE NULL::json
        END AS consent,
    purchases
   FROM public.contact c;

COMMENT ON COLUMN public.shown_contact.account_id IS 'not personal';

COMMENT ON COLUMN public.shown_contact.contact_id IS 'not personal';

COMMENT ON COLUMN public.shown_contact.lane IS 'not personal';

COMMENT ON COLUMN public.shown_contact.email IS 'personal';

COMMENT ON COLUMN public.shown_contact.email_key IS 'personal';

COMMENT ON COLUMN public.shown_contact.external_id IS 'personal';

COMMENT ON COLUMN public.shown_contact.first_name IS 'personal';

COMMENT ON COLUMN public.shown_contact.last_name IS 'personal';

COMMENT ON COLUMN public.shown_contact.name_key IS 'personal';

COMMENT ON COLUMN public.shown_contact.surname_key IS 'personal';

COMMENT ON COLUMN public.shown_contact.company IS 'personal';

COMMENT ON COLUMN public.shown_contact.birth_date IS 'personal';

COMMENT ON COLUMN public.shown_contact.phone IS 'personal';

COMMENT ON COLUMN public.shown_contact.locale IS 'personal';

COMMENT ON COLUMN public.shown_contact.time_zone IS 'personal';

COMMENT ON COLUMN public.shown_contact.country IS 'personal';

COMMENT ON COLUMN public.shown_contact.postal_code IS 'personal';

COMMENT ON COLUMN public.shown_contact.currency IS 'personal';

COMMENT ON COLUMN public.shown_contact.tags IS 'personal';

COMMENT ON COLUMN public.shown_contact.points IS 'personal';

COMMENT ON COLUMN public.shown_contact.fields IS 'personal';

COMMENT ON COLUMN public.shown_contact.email_subscription IS 'personal';

COMMENT ON COLUMN public.shown_contact.email_subscription_at IS 'not personal';

COMMENT ON COLUMN public.shown_contact.sms_subscription IS 'personal';

COMMENT ON COLUMN public.shown_contact.sms_subscription_at IS 'not personal';

COMMENT ON COLUMN public.shown_contact.email_status IS 'not personal';

COMMENT ON COLUMN public.shown_contact.phone_status IS 'not personal';

COMMENT ON COLUMN public.shown_contact.has_consent IS 'not personal';

COMMENT ON COLUMN public.shown_contact.source_updated_at IS 'not personal';

COMMENT ON COLUMN public.shown_contact.event_seq IS 'not personal';

COMMENT ON COLUMN public.shown_contact.version IS 'not personal';

COMMENT ON COLUMN public.shown_contact.created_at IS 'not personal';

COMMENT ON COLUMN public.shown_contact.updated_at IS 'not personal';

COMMENT ON COLUMN public.shown_contact.fields_version IS 'not personal';

COMMENT ON COLUMN public.shown_contact.consent IS 'personal';

COMMENT ON COLUMN public.shown_contact.purchases IS 'personal';

CREATE VIEW public.shown_coupon_set WITH (security_invoker='true') AS
 SELECT s.account_id,
    s.coupon_set_id,
    s.alias,
    s.name,
    s.kind,
    s.code,
    s.valid_from,
    s.expires_at,
    s.low_watermark,
    s.version,
    s.created_at,
    s.updated_at,
    c.total,
    c.available,
    c.assigned,
    c.redeemed,
    public.workflows_using(s.account_id, NULL::text, NULL::uuid, NULL::uuid, s.coupon_set_id) AS used_in_workflows
   FROM (public.coupon_set s
     CROSS JOIN LATERAL ( SELECT (COALESCE(sum(k.total), (0)::numeric))::bigint AS total,
            (COALESCE(sum(k.available), (0)::numeric))::bigint AS available,
            (COALESCE(sum(k.assigned), (0)::numeric))::bigint AS assigned,
            (COALESCE(sum(k.redeemed), (0)::numeric))::bigint AS redeemed
           FROM public.coupon_slot k
          WHERE ((k.account_id = s.account_id) AND (k.coupon_set_id = s.coupon_set_id))) c);

COMMENT ON COLUMN public.shown_coupon_set.account_id IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.coupon_set_id IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.alias IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.name IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.kind IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.code IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.valid_from IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.expires_at IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.low_watermark IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.version IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.created_at IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.updated_at IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.total IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.available IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.assigned IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.redeemed IS 'not personal';

COMMENT ON COLUMN public.shown_coupon_set.used_in_workflows IS 'not personal';

CREATE TABLE public.store_usage (
    account_id bigint NOT NULL,
    contacts bigint DEFAULT 0 NOT NULL,
    products bigint DEFAULT 0 NOT NULL,
    purchases bigint DEFAULT 0 NOT NULL,
    events_this_month bigint DEFAULT 0 NOT NULL,
    as_of timestamp with time zone DEFAULT transaction_timestamp() NOT NULL
);

COMMENT ON COLUMN public.store_usage.account_id IS 'not personal';

COMMENT ON COLUMN public.store_usage.contacts IS 'not personal';

COMMENT ON COLUMN public.store_usage.products IS 'not personal';

COMMENT ON COLUMN public.store_usage.purchases IS 'not personal';

COMMENT ON COLUMN public.store_usage.events_this_month IS 'not personal';

COMMENT ON COLUMN public.store_usage.as_of IS 'not personal';

CREATE TABLE public.stored_file (
    account_id bigint NOT NULL,
    name text NOT NULL COLLATE pg_catalog."C",
    job_id uuid NOT NULL,
    remove_at timestamp with time zone NOT NULL
);

COMMENT ON COLUMN public.stored_file.account_id IS 'not personal';

COMMENT ON COLUMN public.stored_file.name IS 'not personal';

COMMENT ON COLUMN public.stored_file.job_id IS 'not personal';

COMMENT ON COLUMN public.stored_file.remove_at IS 'not personal';

CREATE TABLE public.suppression (
    account_id bigint NOT NULL,
    channel text NOT NULL,
    address_hash bytea NOT NULL,
    reason text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT suppression_address_hash_check CHECK ((octet_length(address_hash) = 32)),
    CONSTRAINT suppression_channel_check CHECK ((channel = ANY (ARRAY['email'::text, 'sms'::text]))),
    CONSTRAINT suppression_reason_check CHECK ((reason = ANY (ARRAY['unsubscribed'::text, 'complained'::text])))
);

COMMENT ON COLUMN public.suppression.account_id IS 'not personal';

COMMENT ON COLUMN public.suppression.channel IS 'not personal';

COMMENT ON COLUMN public.suppression.address_hash IS 'not personal';

COMMENT ON COLUMN public.suppression.reason IS 'not personal';

COMMENT ON COLUMN public.suppression.at IS 'not personal';

CREATE TABLE public.template (
    account_id bigint NOT NULL,
    template_id uuid NOT NULL,
    alias text NOT NULL COLLATE pg_catalog."C",
    name text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT template_alias_check CHECK ((alias ~ '^[a-z][a-z0-9-]{0,63}$'::text)),
    CONSTRAINT template_name_check CHECK (((char_length(name) >= 1) AND (char_length(name) <= 255)))
);

COMMENT ON COLUMN public.template.account_id IS 'not personal';

COMMENT ON COLUMN public.template.template_id IS 'not personal';

COMMENT ON COLUMN public.template.alias IS 'not personal';

COMMENT ON COLUMN public.template.name IS 'not personal';

COMMENT ON COLUMN public.template.version IS 'not personal';

COMMENT ON COLUMN public.template.created_at IS 'not personal';

COMMENT ON COLUMN public.template.updated_at IS 'not personal';

CREATE TABLE public.workflow_version (
    account_id bigint NOT NULL,
    workflow_id uuid NOT NULL,
    version integer NOT NULL,
    definition json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT workflow_version_version_check CHECK ((version > 0))
);

COMMENT ON COLUMN public.workflow_version.account_id IS 'not personal';

COMMENT ON COLUMN public.workflow_version.workflow_id IS 'not personal';

COMMENT ON COLUMN public.workflow_version.version IS 'not personal';

COMMENT ON COLUMN public.workflow_version.definition IS 'not personal';

COMMENT ON COLUMN public.workflow_version.created_at IS 'not personal';

COMMENT ON COLUMN public.workflow_version.published_at IS 'not personal';

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_0 FOR VALUES WITH (modulus 8, remainder 0);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_1 FOR VALUES WITH (modulus 8, remainder 1);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_2 FOR VALUES WITH (modulus 8, remainder 2);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_3 FOR VALUES WITH (modulus 8, remainder 3);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_4 FOR VALUES WITH (modulus 8, remainder 4);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_5 FOR VALUES WITH (modulus 8, remainder 5);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_6 FOR VALUES WITH (modulus 8, remainder 6);

ALTER TABLE ONLY public.claim ATTACH PARTITION public.claim_7 FOR VALUES WITH (modulus 8, remainder 7);

ALTER TABLE ONLY public.event ATTACH PARTITION public.event_2026_11 FOR VALUES FROM ('2026-11-01 00:00:00+00') TO ('2026-12-01 00:00:00+00');

ALTER TABLE ONLY public.event ATTACH PARTITION public.event_2026_12 FOR VALUES FROM ('2026-12-01 00:00:00+00') TO ('2027-01-01 00:00:00+00');

ALTER TABLE ONLY public.event ATTACH PARTITION public.event_2027_01 FOR VALUES FROM ('2027-01-01 00:00:00+00') TO ('2027-02-01 00:00:00+00');

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_0 FOR VALUES WITH (modulus 8, remainder 0);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_1 FOR VALUES WITH (modulus 8, remainder 1);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_2 FOR VALUES WITH (modulus 8, remainder 2);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_3 FOR VALUES WITH (modulus 8, remainder 3);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_4 FOR VALUES WITH (modulus 8, remainder 4);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_5 FOR VALUES WITH (modulus 8, remainder 5);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_6 FOR VALUES WITH (modulus 8, remainder 6);

ALTER TABLE ONLY public.event_claim ATTACH PARTITION public.event_claim_7 FOR VALUES WITH (modulus 8, remainder 7);

COPY public.account (account_id, live_account_id, id, state, name, url, time_zone, currency, locale, country, domains, marketing_requires, marketing_per_day, marketing_per_week, version, created_at, updated_at, requests_per_second, request_burst) FROM stdin;
1753078097975102848	8622802557310548431	01a1e3d8-e869-7104-981b-70e643a6be51	active	Bell & Daughters	https://bell.example	Europe/Vienna	EUR	de-AT	AT	{}	subscribed	\N	\N	1	2026-11-16 10:13:25.739417+00	2026-11-16 10:13:25.739417+00	\N	\N
3252306402416634844	\N	01a1e3d8-e927-73f8-bc68-6f19a648409c	active	Another store	https://bell.example	Europe/Vienna	EUR	de-AT	AT	{}	subscribed	\N	\N	1	2026-11-16 10:13:25.929464+00	2026-11-16 10:13:25.929464+00	\N	\N
8618828687885650828	3252306402416634844	01a1e3d8-e927-73f9-b8f2-0a24a100eecd	active	Another store	https://bell.example	Europe/Vienna	EUR	de-AT	AT	{}	subscribed	\N	\N	1	2026-11-16 10:13:25.929464+00	2026-11-16 10:13:25.929464+00	\N	\N
8622802557310548431	\N	01a1e3d8-e869-7103-9018-f570d57bbac0	active	Bell & Daughters	https://bell.example	Europe/Vienna	EUR	de-AT	AT	{}	subscribed	\N	\N	2	2026-11-16 10:13:25.739417+00	2026-11-16 10:13:27.43329+00	\N	\N
\.

COPY public.api_key (account_id, key_id, name, hash, hint, scopes, created_at, expires_at, revoked_at, requests_per_second, request_burst, allowed_addresses, version, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-e8db-7032-b66f-2c6c63bedff7	demo	\\x7fb24823b31663ac001f1d9a6d5eac8aa748942440569a1c120adbf2fe3daf9d	…4Azx	{contact-fields:delete,contact-fields:read,contact-fields:write,contacts:delete,contacts:read,contacts:write,coupon-sets:read,custom-events:write,custom-integrations:delete,custom-integrations:read,custom-integrations:write,exports:delete,exports:read,exports:write,imports:delete,imports:read,imports:write,manage-contact-fields:write,manage-contacts:read,manage-contacts:write,manage-coupon-sets:delete,manage-coupon-sets:read,manage-coupon-sets:write,manage-custom-event-types:write,manage-exports:write,manage-imports:write,manage-keys:delete,manage-keys:read,manage-keys:write,manage-products:read,manage-purchases:read,manage-store:read,manage-store:write,manage-templates:delete,manage-templates:read,manage-templates:write,manage-workflows:read,manage-workflows:write,products:delete,products:read,products:write,purchases:delete,purchases:read,purchases:write,store:read,webhooks:write,workflows:read}	2026-11-16 10:13:25.854884+00	\N	\N	\N	\N	{}	1	2026-11-16 10:13:25.854884+00
3252306402416634844	01a1e3d8-e9a1-73be-afb8-8507cd623469	demo	\\xd2c7264495f1e253d7a0e0aa045f104e7ebecaf528a34034cbca3f37e9944e21	…mvxH	{contact-fields:delete,contact-fields:read,contact-fields:write,contacts:delete,contacts:read,contacts:write,coupon-sets:read,custom-events:write,custom-integrations:delete,custom-integrations:read,custom-integrations:write,exports:delete,exports:read,exports:write,imports:delete,imports:read,imports:write,manage-contact-fields:write,manage-contacts:read,manage-contacts:write,manage-coupon-sets:delete,manage-coupon-sets:read,manage-coupon-sets:write,manage-custom-event-types:write,manage-exports:write,manage-imports:write,manage-keys:delete,manage-keys:read,manage-keys:write,manage-products:read,manage-purchases:read,manage-store:read,manage-store:write,manage-templates:delete,manage-templates:read,manage-templates:write,manage-workflows:read,manage-workflows:write,products:delete,products:read,products:write,purchases:delete,purchases:read,purchases:write,store:read,webhooks:write,workflows:read}	2026-11-16 10:13:26.052786+00	\N	\N	\N	\N	{}	1	2026-11-16 10:13:26.052786+00
8622802557310548431	01a1e3d8-ef2a-70ae-8f44-c7f7257e21d3	ERP connector	\\x444ea5d0bca179fb419586b723a2e1f313d95f413d2da1b301dcf4f82cf1b058	…hLfw	{store:read}	2026-11-16 10:13:27.466266+00	\N	\N	\N	\N	{}	1	2026-11-16 10:13:27.466266+00
\.

COPY public.claim_0 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.claim_1 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.claim_2 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
8622802557310548431	answer	\\xaba255ec4f3fde30075f2b7eb62d78479bf9d698f8b8aa861845f8d6edf04d18	\\xd2d93ef9da73f3e4c6a0aab32924c5ac70289f93e08df6d949809fba2f73af6f	\\xafc0d1d0b5b94ef0a94cb168e75892643c9cabf81bd6103062272f48ffe1736c56d7f93b61e82fbe52001cc320f4aa3ca6c8977050900180facedc436b4a365353879b9e5d602eab85d184a5bfabf600aa137ad83f617c6daec408676c0c7adf2ab85f39ab08be491fad836b8cb6aee38940d1a497e118866a9755c192795f5a72eed59c63543d1037d5df2c206a406343ef9bda1ffd6d7cedb30942c6358a1ad7b9f2c8c589a788a33586a630b4f95ad1b30b95cf97453e93938790b7bf1199a58a2cd125d9486062152dc3e01f653d6d30c6c60a48e61ad91a4ed43a4ba30a5a44a3956bce628e4a70776f4f5e6b4c016d37683dd4165b71d620e255ffcc838ed20e41d0a7a26fcbdb77250b65e56c5b10539179e642779777195e285adaaf330690b9e1e75f31f9ba477e499b25ad1c5277310a3f5988696e8c58453facc963027c3b3f0e44c38c521253bbeef393a63bfdb81259b8bbb5581ff53c4c6112bb27819c530b820ac6e311ddff0c51ffe9efbf2b57df62776b66b6b85a2c2d6748fbe3ebfadb5df1a0147481ccaa1224b3b6740038a1c01c1de25bb0e52e9063a21aea15f85877f872479f3a2066c6ed24bf8a9de241fb7b2723fecf450b16fbea62ba5929eb49e642a79fe96fe6658676ab77c27cd63c327c93c5efcd8ee3a44fb7196d7b7367c6f35f96c70c0d8c79b970ae3148baf72b429c3cfe81321cfce671ec9a4ef326298fccc256b6b283ceb3c4b3ad9344cc306d11e517d7894dee429ad928df0de3cb	2026-11-16 10:13:27.485804+00
\.

COPY public.claim_3 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.claim_4 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.claim_5 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.claim_6 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.claim_7 (account_id, kind, key_hash, request_hash, answer, made_at) FROM stdin;
\.

COPY public.consent (account_id, contact_id, channel, at, status, source, ip, user_agent, wording, method, received_at) FROM stdin;
8622802557310548431	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	email	2026-11-16 10:13:26.602+00	subscribed	checkout	\N	\N	\N	singleOptIn	2026-11-16 10:13:26.61422+00
\.

COPY public.contact (account_id, contact_id, lane, email, email_key, external_id, first_name, last_name, name_key, surname_key, company, birth_date, phone, locale, time_zone, country, postal_code, currency, tags, points, fields, email_subscription, email_subscription_at, sms_subscription, sms_subscription_at, email_status, phone_status, has_consent, source_updated_at, event_seq, version, created_at, updated_at, purchases) FROM stdin;
8622802557310548431	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	830	eva@example.com	eva@example.com	c-1042	Eva	Bell	eva bell	bell eva	\N	\N	+436641234567	\N	\N	\N	\N	\N	{vip}	10	{"1": "gold"}	subscribed	2026-11-16 10:13:26.602+00	none	\N	active	active	t	\N	12	8	2026-11-16 10:13:26.602581+00	2026-11-16 10:13:28.150629+00	{"count": 2, "lastAt": "2026-11-16T10:13:28.150Z", "firstAt": "2026-11-16T10:13:26.945Z", "currency": "EUR", "byCurrency": [{"count": 2, "total": "32.10", "currency": "EUR"}], "totalAmount": "32.10", "averageAmount": "16.05"}
8622802557310548431	01a1e3d8-f2e4-7372-be6c-3fdd350a23cd	723	ada@example.com	ada@example.com	\N	Ada	\N	ada	\N	\N	\N	\N	\N	\N	\N	\N	\N	{}	1	{"1": "silver"}	none	\N	none	\N	active	active	f	\N	1	1	2026-11-16 10:13:28.420744+00	2026-11-16 10:13:28.420744+00	{}
\.

COPY public.contact_facet (account_id, facet, value, contact_id) FROM stdin;
8622802557310548431	-1	subscribed	01a1e3d8-ebca-728a-8dd6-01a51cac2e68
8622802557310548431	0	vip	01a1e3d8-ebca-728a-8dd6-01a51cac2e68
8622802557310548431	1	gold	01a1e3d8-ebca-728a-8dd6-01a51cac2e68
8622802557310548431	-1	none	01a1e3d8-f2e4-7372-be6c-3fdd350a23cd
8622802557310548431	1	silver	01a1e3d8-f2e4-7372-be6c-3fdd350a23cd
\.

COPY public.contact_field (account_id, id, number, name, type, indexed, required, default_value, options, max_length, min, max, version, created_at, updated_at) FROM stdin;
8622802557310548431	loyaltyLevel	1	Loyalty level	choice	t	f	"silver"	[{"id":"silver","label":"Silver"},{"id":"gold","label":"Gold"}]	\N	\N	\N	1	2026-11-16 10:13:27.484142+00	2026-11-16 10:13:27.484142+00
\.

COPY public.contact_field_counter (account_id, last_number, version) FROM stdin;
8622802557310548431	1	1
\.

COPY public.coupon (account_id, code_key, coupon_set_id, number, code, shared, claim_id, redeemed, added_at) FROM stdin;
8622802557310548431	bell-9q2m	01a1e3d8-f094-7172-b646-ebc597069e14	2	BELL-9Q2M	f	\N	f	2026-11-16 10:13:27.861314+00
8622802557310548431	bell-2b4c	01a1e3d8-f094-7172-b646-ebc597069e14	3	BELL-2B4C	f	\N	f	2026-11-16 10:13:27.861314+00
8622802557310548431	bell-7f3k	01a1e3d8-f094-7172-b646-ebc597069e14	1	BELL-7F3K	f	dd586f19-552d-429b-af69-f14913f28f0d	t	2026-11-16 10:13:27.861314+00
\.

COPY public.coupon_claim (account_id, claim_id, coupon_set_id, code_key, contact_id, run_id, claimed_at) FROM stdin;
8622802557310548431	dd586f19-552d-429b-af69-f14913f28f0d	01a1e3d8-f094-7172-b646-ebc597069e14	bell-7f3k	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	\N	2026-11-16 10:13:28.108405+00
\.

COPY public.coupon_redemption (account_id, purchase_id, code_key, coupon_set_id, contact_id, by_other, redeemed_at) FROM stdin;
8622802557310548431	01a1e3d8-f1d6-708e-b569-cb6c487191be	bell-7f3k	01a1e3d8-f094-7172-b646-ebc597069e14	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	f	2026-11-16 10:13:28.15+00
\.

COPY public.coupon_set (account_id, coupon_set_id, lane, alias, name, kind, code, valid_from, expires_at, low_watermark, is_low, version, created_at, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-f094-7172-b646-ebc597069e14	737	ten-percent	Ten percent off	unique	\N	\N	\N	\N	f	1	2026-11-16 10:13:27.828039+00	2026-11-16 10:13:27.828039+00
\.

COPY public.coupon_slot (account_id, coupon_set_id, slot, total, available, assigned, redeemed) FROM stdin;
8622802557310548431	01a1e3d8-f094-7172-b646-ebc597069e14	35	0	-1	1	0
8622802557310548431	01a1e3d8-f094-7172-b646-ebc597069e14	20	3	3	0	1
\.

COPY public.dropped_contact_field (account_id, number, dropped_at, done_until) FROM stdin;
\.

COPY public.dropped_coupon_set (account_id, coupon_set_id, dropped_at) FROM stdin;
\.

COPY public.erased_contact (account_id, contact_id, erased_at, due_at, round, kind, received_at, id) FROM stdin;
8622802557310548431	01a1e3d8-efdb-73c2-bf9a-790880702072	2026-11-16 10:13:27.709735+00	2026-11-16 10:13:27.709735+00	1	\N	\N	\N
\.

COPY public.erasure (account_id, identifier_hash, erased_at) FROM stdin;
8622802557310548431	\\xce1e67b994b51b259e84d781131cf3193c983e6f33c1a1b6d82d946fd1f04bed	2026-11-16 10:13:27.709735+00
\.

COPY public.event_2026_11 (account_id, received_at, id, uid, xid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops, cause_uid, source, trace, payload) FROM stdin;
8622802557310548431	2026-11-16 10:13:26.61422+00	1	01a1e3d8-ebca-728b-a34d-0badbdfac3f4	795	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	1	\N	contact.created	1	2026-11-16 10:13:26.602581+00	all	0	\N	api	\N	{"after": {"email": "eva@example.com", "phone": "+436641234567", "lastName": "Bell", "firstName": "Eva", "externalId": "c-1042", "emailSubscription": "subscribed"}, "before": {"email": null, "phone": null, "lastName": null, "firstName": null, "externalId": null, "emailSubscription": "none"}, "changed": ["email", "externalId", "firstName", "lastName", "phone", "emailSubscription"]}
8622802557310548431	2026-11-16 10:13:26.61422+00	2	01a1e3d8-ebca-728c-9ae4-bd76a247da62	795	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	2	\N	contact.subscribed	1	2026-11-16 10:13:26.602581+00	all	0	\N	api	\N	{"source": "checkout", "channel": "email"}
8622802557310548431	2026-11-16 10:13:26.648158+00	3	01a1e3d8-ebf4-738c-8af2-089cfecf60c1	796	818	\N	\N	bell-1	product.created	1	2026-11-16 10:13:26.644932+00	all	0	\N	api	\N	{"after": {"url": "https://bell.example/brass", "name": "Bell, brass", "price": "19.90", "stock": 0, "currency": "EUR", "variants": {"large": {"sku": null, "gtin": null, "name": null, "price": "24.90", "stock": 3, "imageUrl": null, "attributes": {}, "availability": null, "originalPrice": null}}}, "before": {"url": "", "name": "", "price": null, "stock": null, "currency": "", "variants": {}}, "changed": ["name", "url", "price", "currency", "stock", "variants.large"], "productId": "bell-1"}
8622802557310548431	2026-11-16 10:13:26.677923+00	4	01a1e3d8-ec14-7299-aa2c-a6d05a46a31e	797	818	\N	\N	bell-1	product.updated	1	2026-11-16 10:13:26.67659+00	all	0	\N	api	\N	{"after": {"price": "17.90", "stock": 12, "originalPrice": "19.90"}, "before": {"price": "19.90", "stock": 0, "originalPrice": null}, "changed": ["price", "originalPrice", "stock"], "productId": "bell-1"}
8622802557310548431	2026-11-16 10:13:26.677923+00	5	01a1e3d8-ec14-729a-b283-0acc9252d56b	797	818	\N	\N	bell-1	product.back-in-stock	1	2026-11-16 10:13:26.67659+00	all	0	\N	api	\N	{"productId": "bell-1", "variantId": null}
8622802557310548431	2026-11-16 10:13:26.677923+00	6	01a1e3d8-ec14-729b-aa40-1a38a164d963	797	818	\N	\N	bell-1	product.price-dropped	1	2026-11-16 10:13:26.67659+00	all	0	\N	api	\N	{"to": "17.90", "from": "19.90", "percent": "10.050251", "currency": "EUR", "productId": "bell-1", "variantId": null}
8622802557310548431	2026-11-16 10:13:26.734228+00	7	01a1e3d8-ec38-7127-a5c0-22216824a4da	798	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	\N	\N	custom.cart-updated	1	2026-11-16 10:13:26.734228+00	all	0	\N	api	\N	{"lines": [{"quantity": "1", "productId": "bell-1", "unitPrice": "17.9"}], "total": "17.9", "cartId": "cart-7"}
8622802557310548431	2026-11-16 10:13:26.789892+00	8	01a1e3d8-ec85-7255-8476-9392eff20b9a	799	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	\N	\N	custom.cart-updated	1	2026-11-16 10:13:26.789892+00	all	0	\N	api	\N	{"lines": [{"quantity": "2", "productId": "bell-1", "unitPrice": "17.9"}], "total": "35.8", "cartId": "cart-7"}
8622802557310548431	2026-11-16 10:13:26.90327+00	9	01a1e3d8-ecf5-729a-818f-e5b3664f1fe0	800	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	\N	\N	custom.cart-updated	1	2026-11-16 10:13:26.90327+00	all	0	\N	api	\N	{"total": "53.7", "cartId": "cart-7"}
8622802557310548431	2026-11-16 10:13:26.951639+00	10	01a1e3d8-ed21-7163-b0c2-809b59fd46e0	801	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	3	order-77	purchase.created	1	2026-11-16 10:13:26.945+00	all	0	\N	api	\N	{"id": "01a1e3d8-ed21-7162-bd88-3869dc809cd4", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": "35.80", "lineId": "1", "discount": null, "imageUrl": null, "quantity": "2", "productId": "bell-1", "unitPrice": "17.90", "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "40.00", "cartId": "cart-7", "status": "placed", "channel": null, "refunds": [], "currency": "EUR", "discount": null, "netTotal": "40.00", "orderUrl": null, "quantity": "2", "shipping": "4.20", "subtotal": "35.80", "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:26.945Z", "updatedAt": "2026-11-16T10:13:26.945Z", "attributes": {}, "purchaseId": "order-77", "storeTotal": null, "couponCodes": [], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:26.945Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "0.00", "shippingCountry": null, "sourceUpdatedAt": null}
8622802557310548431	2026-11-16 10:13:27.028516+00	11	01a1e3d8-ed6a-7212-a1bf-0506fe6e61b0	802	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	4	order-77	purchase.updated	1	2026-11-16 10:13:27.01851+00	all	0	\N	api	\N	{"after": {"status": "paid"}, "before": {"status": "placed"}, "changed": ["status"]}
8622802557310548431	2026-11-16 10:13:27.028516+00	12	01a1e3d8-ed6a-7213-8475-bef90dc36217	802	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	5	order-77	purchase.paid	1	2026-11-16 10:13:27.01851+00	all	0	\N	api	\N	{"id": "01a1e3d8-ed21-7162-bd88-3869dc809cd4", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": "35.80", "lineId": "1", "discount": null, "imageUrl": null, "quantity": "2", "productId": "bell-1", "unitPrice": "17.90", "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "40.00", "cartId": "cart-7", "status": "paid", "channel": null, "refunds": [], "currency": "EUR", "discount": null, "netTotal": "40.00", "orderUrl": null, "quantity": "2", "shipping": "4.20", "subtotal": "35.80", "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:26.945Z", "updatedAt": "2026-11-16T10:13:27.018Z", "attributes": {}, "purchaseId": "order-77", "storeTotal": null, "couponCodes": [], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:26.945Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "0.00", "shippingCountry": null, "sourceUpdatedAt": null}
8622802557310548431	2026-11-16 10:13:27.058802+00	13	01a1e3d8-ed90-7202-b7af-54cb28270bfd	803	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	6	order-77	purchase.updated	1	2026-11-16 10:13:27.056838+00	all	0	\N	api	\N	{"after": {"status": "fulfilled"}, "before": {"status": "paid"}, "changed": ["status"]}
8622802557310548431	2026-11-16 10:13:27.058802+00	14	01a1e3d8-ed90-7203-95cf-a624a3aeb879	803	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	7	order-77	purchase.fulfilled	1	2026-11-16 10:13:27.056838+00	all	0	\N	api	\N	{"id": "01a1e3d8-ed21-7162-bd88-3869dc809cd4", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": "35.80", "lineId": "1", "discount": null, "imageUrl": null, "quantity": "2", "productId": "bell-1", "unitPrice": "17.90", "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "40.00", "cartId": "cart-7", "status": "fulfilled", "channel": null, "refunds": [], "currency": "EUR", "discount": null, "netTotal": "40.00", "orderUrl": null, "quantity": "2", "shipping": "4.20", "subtotal": "35.80", "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:26.945Z", "updatedAt": "2026-11-16T10:13:27.056Z", "attributes": {}, "purchaseId": "order-77", "storeTotal": null, "couponCodes": [], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:26.945Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "0.00", "shippingCountry": null, "sourceUpdatedAt": null}
8622802557310548431	2026-11-16 10:13:27.100128+00	15	01a1e3d8-edb4-710b-8a28-ea4ba92a53ab	804	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	8	order-77	purchase.updated	1	2026-11-16 10:13:27.092007+00	all	0	\N	api	\N	{"after": {"status": "partiallyRefunded", "refunds": [{"at": null, "lines": [], "amount": "17.90", "reason": "one was dented", "refundId": "r1"}], "netTotal": "22.10", "refundedTotal": "17.90"}, "before": {"status": "fulfilled", "refunds": [], "netTotal": "40.00", "refundedTotal": "0.00"}, "changed": ["status", "refunds", "refundedTotal", "netTotal"]}
8622802557310548431	2026-11-16 10:13:27.603739+00	19	01a1e3d8-efae-721d-9ce1-4413cf442dd6	811	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	11	\N	contact.merged	1	2026-11-16 10:13:27.598118+00	all	0	\N	api	\N	{"from": "01a1e3d8-ef89-72d8-8b37-4209dedd2413", "into": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68"}
8622802557310548431	2026-11-16 10:13:27.100128+00	16	01a1e3d8-edb4-710c-81c0-1c1731768e4f	804	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	9	order-77	purchase.refunded	1	2026-11-16 10:13:27.092007+00	all	0	\N	api	\N	{"id": "01a1e3d8-ed21-7162-bd88-3869dc809cd4", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": "35.80", "lineId": "1", "discount": null, "imageUrl": null, "quantity": "2", "productId": "bell-1", "unitPrice": "17.90", "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "40.00", "cartId": "cart-7", "status": "partiallyRefunded", "channel": null, "refunds": [{"at": null, "lines": [], "amount": "17.90", "reason": "one was dented", "refundId": "r1"}], "currency": "EUR", "discount": null, "netTotal": "22.10", "orderUrl": null, "quantity": "2", "shipping": "4.20", "subtotal": "35.80", "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:26.945Z", "updatedAt": "2026-11-16T10:13:27.092Z", "attributes": {}, "purchaseId": "order-77", "storeTotal": null, "couponCodes": [], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:26.945Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "17.90", "shippingCountry": null, "sourceUpdatedAt": null}
8622802557310548431	2026-11-16 10:13:27.526727+00	17	01a1e3d8-ef65-7260-99bb-b72cec046db7	809	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	10	\N	contact.updated	1	2026-11-16 10:13:27.52544+00	all	0	\N	api	\N	{"after": {"tags": ["vip"], "fields": {"loyaltyLevel": "gold"}, "points": 10}, "before": {"tags": [], "fields": {}, "points": 0}, "changed": ["tags", "points", "fields.loyaltyLevel"]}
8622802557310548431	2026-11-16 10:13:27.562437+00	18	01a1e3d8-ef89-72d9-8d30-6332e2aeae8e	810	495	01a1e3d8-ef89-72d8-8b37-4209dedd2413	1	\N	contact.created	1	2026-11-16 10:13:27.561395+00	all	0	\N	api	\N	{"after": {"email": "eva.bell@example.com", "fields": {"loyaltyLevel": "silver"}, "firstName": "Eva"}, "before": {"email": null, "fields": {}, "firstName": null}, "changed": ["email", "firstName", "fields.loyaltyLevel"]}
8622802557310548431	2026-11-16 10:13:27.644908+00	21	01a1e3d8-efdb-73c3-902e-927469d87a88	812	214	01a1e3d8-efdb-73c2-bf9a-790880702072	1	\N	contact.created	1	2026-11-16 10:13:27.643809+00	all	0	\N	api	\N	\N
8622802557310548431	2026-11-16 10:13:27.709735+00	24	01a1e3d8-f01b-71d5-ab7b-72c395021c67	814	214	01a1e3d8-efdb-73c2-bf9a-790880702072	4	\N	contact.deleted	1	2026-11-16 10:13:27.707433+00	all	0	\N	api	\N	{}
8622802557310548431	2026-11-16 10:13:28.152572+00	26	01a1e3d8-f1d6-708f-a9a8-5e24de3e89f7	820	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	12	order-88	purchase.created	1	2026-11-16 10:13:28.15+00	all	0	\N	api	\N	{"id": "01a1e3d8-f1d6-708e-b569-cb6c487191be", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": null, "lineId": null, "discount": null, "imageUrl": null, "quantity": "1", "productId": null, "unitPrice": null, "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "10.00", "cartId": null, "status": "placed", "channel": null, "refunds": [], "currency": "EUR", "discount": null, "netTotal": "10.00", "orderUrl": null, "quantity": "1", "shipping": null, "subtotal": null, "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:28.150Z", "updatedAt": "2026-11-16T10:13:28.150Z", "attributes": {}, "purchaseId": "order-88", "storeTotal": null, "couponCodes": ["BELL-7F3K"], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:28.150Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "0.00", "shippingCountry": null, "sourceUpdatedAt": null}
8622802557310548431	2026-11-16 10:13:28.152572+00	27	01a1e3d8-f1d6-7090-b1aa-1c290d5cec2b	820	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	\N	\N	coupon.redeemed	1	2026-11-16 10:13:28.15+00	all	0	\N	api	\N	{"code": "BELL-7F3K", "runId": null, "byOther": false, "couponSet": "ten-percent", "purchaseId": "01a1e3d8-f1d6-708e-b569-cb6c487191be"}
8622802557310548431	2026-11-16 10:13:27.603739+00	20	01a1e3d8-efae-721e-b61a-63362652d69e	811	495	01a1e3d8-ef89-72d8-8b37-4209dedd2413	2	\N	handover	1	2026-11-16 10:13:27.598118+00	all	0	\N	api	\N	{"into": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68"}
8622802557310548431	2026-11-16 10:13:27.677462+00	22	01a1e3d8-effb-71c8-8cef-68a1a46817d9	813	214	01a1e3d8-efdb-73c2-bf9a-790880702072	2	\N	contact.updated	1	2026-11-16 10:13:27.675031+00	all	0	\N	api	\N	\N
8622802557310548431	2026-11-16 10:13:27.677462+00	23	01a1e3d8-effb-71c9-9a95-e7c08b2e4c52	813	214	01a1e3d8-efdb-73c2-bf9a-790880702072	3	\N	contact.unsubscribed	1	2026-11-16 10:13:27.675031+00	all	0	\N	api	\N	\N
8622802557310548431	2026-11-16 10:13:28.108405+00	25	01a1e3d8-f1bb-71b9-a3a3-ce38bc6160e7	819	830	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	\N	\N	coupon.assigned	1	2026-11-16 10:13:28.108405+00	all	0	\N	service	\N	{"code": "BELL-7F3K", "runId": null, "couponSet": "ten-percent"}
8622802557310548431	2026-11-16 10:13:28.42817+00	28	01a1e3d8-f2e4-7373-8ae0-b34e4025aa02	830	723	01a1e3d8-f2e4-7372-be6c-3fdd350a23cd	1	\N	contact.created	1	2026-11-16 10:13:28.420744+00	none	0	\N	api	\N	{"after": {"email": "ada@example.com", "fields": {"loyaltyLevel": "silver"}, "points": 1, "firstName": "Ada"}, "before": {"email": null, "fields": {}, "points": 0, "firstName": null}, "changed": ["email", "firstName", "points", "fields.loyaltyLevel"]}
8622802557310548431	2026-11-16 10:13:28.445733+00	29	01a1e3d8-f2fc-7346-95b0-66b2bdfda9dd	832	642	\N	\N	01a1e3d8-f27d-725b-b31b-f42675470437	import.finished	1	2026-11-16 10:13:28.444496+00	all	0	\N	service	\N	{"id": "01a1e3d8-f27d-725b-b31b-f42675470437", "type": "contacts", "bytes": 70, "error": null, "total": 2, "errors": [{"row": 2, "code": "wrong-type", "detail": "Expected a number, found a text.", "pointer": "/points"}], "failed": 1, "status": "finished", "attempt": 1, "created": 1, "options": {"mode": "upsert", "dryRun": false, "format": "csv", "matchBy": "auto", "delimiter": null, "eventType": null, "onInvalid": "row", "onlyEmpty": false, "couponSetId": null, "triggerWorkflows": "none"}, "updated": 0, "fileName": "contacts.csv", "createdAt": "2026-11-16T10:13:28.317Z", "expiresAt": "2026-11-23T10:13:28.444Z", "processed": 2, "startedAt": "2026-11-16T10:13:28.405Z", "unchanged": 0, "updatedAt": "2026-11-16T10:13:28.444Z", "finishedAt": "2026-11-16T10:13:28.444Z", "rowsPerSecond": 50, "errorReportUrl": null}
8622802557310548431	2026-11-16 10:13:28.751986+00	30	01a1e3d8-f42f-7025-a727-277867cfb757	837	891	\N	\N	01a1e3d8-f349-704f-9dce-7d8613cf4588	export.finished	1	2026-11-16 10:13:28.751659+00	all	0	\N	service	\N	{"id": "01a1e3d8-f349-704f-9dce-7d8613cf4588", "to": null, "from": null, "rows": 2, "type": "contacts", "bytes": 728, "error": null, "format": "csv", "report": null, "sha256": "2e0af20e9f218abbe656c2dfa642c0558e39ccc3928f0de1a0f78372d901b105", "status": "finished", "attempt": 1, "columns": [], "fileUrl": null, "filters": {}, "groupBy": [], "rawText": false, "fileName": "contacts-20261116-101328.csv", "progress": {"done": 2, "total": 2}, "timeZone": null, "createdAt": "2026-11-16T10:13:28.521Z", "delimiter": ",", "expiresAt": "2026-11-23T10:13:28.751Z", "startedAt": "2026-11-16T10:13:28.701Z", "updatedAt": "2026-11-16T10:13:28.751Z", "watermark": null, "finishedAt": "2026-11-16T10:13:28.751Z", "compression": "none", "granularity": null}
\.

COPY public.event_2026_12 (account_id, received_at, id, uid, xid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops, cause_uid, source, trace, payload) FROM stdin;
\.

COPY public.event_2027_01 (account_id, received_at, id, uid, xid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops, cause_uid, source, trace, payload) FROM stdin;
\.

COPY public.event_claim_0 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
\.

COPY public.event_claim_1 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
\.

COPY public.event_claim_2 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
\.

COPY public.event_claim_3 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
8622802557310548431	924ee2c2-fe64-cad3-6e42-efc47999039b	01696b7c-dc2f-2226-a3eb-b5ecccbf4888	01a1e3d8-ec38-7127-a5c0-22216824a4da	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	2026-11-16 10:13:26.734228+00
8622802557310548431	60b94772-6642-7018-86c4-10cec1cb863d	f07db449-c35d-a7be-09b7-c8e3b5db4985	01a1e3d8-ecf5-729a-818f-e5b3664f1fe0	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	2026-11-16 10:13:26.90327+00
\.

COPY public.event_claim_4 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
\.

COPY public.event_claim_5 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
8622802557310548431	bcebd25a-48a4-54f3-2b5f-d0d688b93616	29d67678-491b-3313-0f59-4f26ee3a895e	01a1e3d8-ec85-7255-8476-9392eff20b9a	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	2026-11-16 10:13:26.789892+00
\.

COPY public.event_claim_6 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
\.

COPY public.event_claim_7 (account_id, key_hash, content_hash, uid, contact_id, made_at) FROM stdin;
\.

COPY public.event_type (account_id, event_type_id, integration_id, name, direction, alias, fields, additional_members, url, headers, signing_secret, previous_signing_secret, previous_valid_until, version, created_at, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-eb76-71fa-a4e6-5f35a62353fc	01a1e3d8-eb46-713e-b237-89fc59b35be5	Cart changed	receive	cart-updated	[{"id": "cartId", "max": null, "min": null, "name": "Cart", "type": "text", "items": null, "fields": [], "options": [], "required": true, "maxLength": null}, {"id": "total", "max": null, "min": null, "name": "Total", "type": "decimal", "items": null, "fields": [], "options": [], "required": true, "maxLength": null}, {"id": "lines", "max": null, "min": null, "name": "Lines", "type": "lines", "items": null, "fields": [], "options": [], "required": false, "maxLength": null}]	keep	\N	[]	\N	\N	\N	1	2026-11-16 10:13:26.51814+00	2026-11-16 10:13:26.51814+00
8622802557310548431	01a1e3d8-f065-71a3-9ed1-c4244baf4a06	01a1e3d8-f040-7092-b5e5-e39d4d474c0a	Order paid	send	\N	[]	keep	https://pos.example/in	[{"name": "X-Token", "sealed": "4b20e3110a8890332ed7ce53bd279fca4eee9149e55e2c9110e5fbac5a5bba569108eafbd708dfce"}]	\\x3509ebd728ab271ebe007887172acd6f5d50af74503a5eac3546511c93d4168808dede8b738ec97b619b6701b2e87ac8230fbb75342e2023e4aac8376d4f7840dbe589fcdfe014ff6fe3139f3e1d	\N	\N	1	2026-11-16 10:13:27.781052+00	2026-11-16 10:13:27.781052+00
\.

COPY public.event_type_counter (account_id, version) FROM stdin;
8622802557310548431	4
\.

COPY public.import_failure (account_id, job_id, "row", pointer, code, detail, line) FROM stdin;
8622802557310548431	01a1e3d8-f27d-725b-b31b-f42675470437	2	/points	wrong-type	Expected a number, found a text.	bob@example.com,Bob,many
\.

COPY public.integration (account_id, integration_id, name, description, color, image_url, events_enabled, version, created_at, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-eb46-713e-b237-89fc59b35be5	Web shop	\N	#c0ffee	\N	t	1	2026-11-16 10:13:26.470474+00	2026-11-16 10:13:26.470474+00
8622802557310548431	01a1e3d8-f040-7092-b5e5-e39d4d474c0a	Point of sale	\N	\N	\N	t	1	2026-11-16 10:13:27.744938+00	2026-11-16 10:13:27.744938+00
\.

COPY public.job (account_id, job_id, kind, type, state, attempt, generation, leased_until, done, total, options, result, error, key_id, queued_at, updated_at, started_at, finished_at, expires_at) FROM stdin;
8622802557310548431	01a1e3d8-f27d-725b-b31b-f42675470437	import	contacts	finished	1	1	\N	2	2	{"file": "imports/8622802557310548431/01a1e3d8-f26f-730f-8eb2-776c50e6c406", "type": "contacts", "bytes": 70, "coding": "none", "options": {"mode": "upsert", "dryRun": false, "format": "csv", "matchBy": "auto", "delimiter": null, "eventType": null, "onInvalid": "row", "onlyEmpty": false, "couponSetId": null, "triggerWorkflows": "none"}, "fileName": "contacts.csv"}	{"row": 2, "errors": [{"row": 2, "code": "wrong-type", "detail": "Expected a number, found a text.", "pointer": "/points"}], "failed": 1, "created": 1, "updated": 0, "position": 70, "unchanged": 0, "reportFile": "imports/8622802557310548431/01a1e3d8-f27d-725b-b31b-f42675470437-report-1"}	\N	01a1e3d8-e8db-7032-b66f-2c6c63bedff7	2026-11-16 10:13:28.317367+00	2026-11-16 10:13:28.444496+00	2026-11-16 10:13:28.405057+00	2026-11-16 10:13:28.444496+00	2026-11-23 10:13:28.444496+00
8622802557310548431	01a1e3d8-f349-704f-9dce-7d8613cf4588	export	contacts	finished	1	1	\N	2	2	{"to": "", "from": "", "type": "contacts", "format": "csv", "report": "", "columns": [], "filters": {}, "groupBy": [], "rawText": false, "timeZone": "", "delimiter": ",", "compression": "none", "granularity": ""}	{"file": "exports/8622802557310548431/01a1e3d8-f349-704f-9dce-7d8613cf4588-1", "rows": 2, "bytes": 728, "moment": "7708710396304520395.00000001.16389 1794824009 837:837:", "sha256": "2e0af20e9f218abbe656c2dfa642c0558e39ccc3928f0de1a0f78372d901b105"}	\N	01a1e3d8-e8db-7032-b66f-2c6c63bedff7	2026-11-16 10:13:28.521675+00	2026-11-16 10:13:28.751659+00	2026-11-16 10:13:28.701182+00	2026-11-16 10:13:28.751659+00	2026-11-23 10:13:28.751659+00
\.

COPY public.merged_contact (account_id, contact_id, lane, into_id, merged_at) FROM stdin;
8622802557310548431	01a1e3d8-ef89-72d8-8b37-4209dedd2413	495	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	2026-11-16 10:13:27.603739+00
\.

COPY public.product (account_id, product_id, store_id, name_key, data, source_updated_at, version, created_at, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-ebf4-738b-aa56-481798ef51ec	bell-1	bell, brass	{"id": "01a1e3d8-ebf4-738b-aa56-481798ef51ec", "sku": null, "url": "https://bell.example/brass", "gtin": null, "name": "Bell, brass", "tags": [], "brand": null, "price": "17.90", "stock": 12, "hidden": false, "prices": {}, "rating": null, "currency": "EUR", "discount": {"amount": "2.00", "percent": "10.050251"}, "imageUrl": null, "priority": null, "variants": {"large": {"sku": null, "gtin": null, "name": null, "price": "24.90", "stock": 3, "imageUrl": null, "attributes": {}, "availability": null, "originalPrice": null}}, "createdAt": "2026-11-16T10:13:26.644Z", "productId": "bell-1", "updatedAt": "2026-11-16T10:13:26.676Z", "attributes": {}, "categories": [], "description": null, "publishedAt": null, "ratingCount": null, "reviewCount": null, "availability": null, "thumbnailUrl": null, "translations": {}, "originalPrice": "19.90", "priceWithoutTax": null, "sourceUpdatedAt": null, "relatedProductIds": []}	\N	2	2026-11-16 10:13:26.644932+00	2026-11-16 10:13:26.67659+00
\.

COPY public.purchase (account_id, purchase_id, store_id, contact_id, lane, purchased_at, status, currency, net_total, store_amount, data, content_hash, told, source_updated_at, version, created_at, updated_at, moved_xid) FROM stdin;
8622802557310548431	01a1e3d8-ed21-7162-bd88-3869dc809cd4	order-77	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	830	2026-11-16 10:13:26.945+00	partiallyRefunded	EUR	22.100000	22.100000	{"id": "01a1e3d8-ed21-7162-bd88-3869dc809cd4", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": "35.80", "lineId": "1", "discount": null, "imageUrl": null, "quantity": "2", "productId": "bell-1", "unitPrice": "17.90", "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "40.00", "cartId": "cart-7", "status": "partiallyRefunded", "channel": null, "refunds": [{"at": null, "lines": [], "amount": "17.90", "reason": "one was dented", "refundId": "r1"}], "currency": "EUR", "discount": null, "netTotal": "22.10", "orderUrl": null, "quantity": "2", "shipping": "4.20", "subtotal": "35.80", "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:26.945Z", "updatedAt": "2026-11-16T10:13:27.092Z", "attributes": {}, "purchaseId": "order-77", "storeTotal": null, "couponCodes": [], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:26.945Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "17.90", "shippingCountry": null, "sourceUpdatedAt": null}	\\xc422e91da647032a3b7ed5ca6ed16721dd52f80ed96d48eda8a7cd11ba8cb088	{paid,fulfilled,"refund r1"}	\N	4	2026-11-16 10:13:26.945894+00	2026-11-16 10:13:27.092007+00	\N
8622802557310548431	01a1e3d8-f1d6-708e-b569-cb6c487191be	order-88	01a1e3d8-ebca-728a-8dd6-01a51cac2e68	830	2026-11-16 10:13:28.15+00	placed	EUR	10.000000	10.000000	{"id": "01a1e3d8-f1d6-708e-b569-cb6c487191be", "tax": null, "lines": [{"sku": null, "tax": null, "url": null, "name": null, "tags": [], "brand": null, "total": null, "lineId": null, "discount": null, "imageUrl": null, "quantity": "1", "productId": null, "unitPrice": null, "variantId": null, "attributes": {}, "categories": [], "originalUnitPrice": null}], "total": "10.00", "cartId": null, "status": "placed", "channel": null, "refunds": [], "currency": "EUR", "discount": null, "netTotal": "10.00", "orderUrl": null, "quantity": "1", "shipping": null, "subtotal": null, "contactId": "01a1e3d8-ebca-728a-8dd6-01a51cac2e68", "createdAt": "2026-11-16T10:13:28.150Z", "updatedAt": "2026-11-16T10:13:28.150Z", "attributes": {}, "purchaseId": "order-88", "storeTotal": null, "couponCodes": ["BELL-7F3K"], "orderNumber": null, "purchasedAt": "2026-11-16T10:13:28.150Z", "taxIncluded": false, "attributedTo": null, "trackingUrls": [], "paymentMethod": null, "refundedTotal": "0.00", "shippingCountry": null, "sourceUpdatedAt": null}	\\xa3652802cebb4c44b99b6c9835eea317b46034365a26e0893b85175057751794	{}	\N	1	2026-11-16 10:13:28.150629+00	2026-11-16 10:13:28.150629+00	\N
\.

COPY public.schema_migration (number, name, checksum, applied_at) FROM stdin;
1	0001_accounts	4eb3f43868783e9902460033ad44785d37bc5c0b2730ed2e6e48540f142c83ea	2026-11-16 10:13:25.298+00
2	0002_rates	217883d0031e6b46d25f91ebff4d98b85fd7bd7aad37d41d98cfc43ad5c01b43	2026-11-16 10:13:25.331051+00
3	0003_contact_fields	e96e11509b23f242ed9f6a2057390b7e43656f545fca4e2c59d5d53c9b1a7c77	2026-11-16 10:13:25.350052+00
4	0004_manage	768d0e34bbf1fde1a46a643a8d958eed94fe4b7ade97c3e5dffe49487a85e6f8	2026-11-16 10:13:25.398062+00
5	0005_events	60b284c8120e647ef5f43ee251be8ea17d37e9ead9edf0e2babd6ae6faea125d	2026-11-16 10:13:25.399796+00
6	0006_contacts	8ad906af86e7b70350af31ff6099dd096b78140d7eae2e669781c3086fed22a7	2026-11-16 10:13:25.42566+00
7	0007_products	840ce7874fee1efbe4c8e4daa70770324b3eb7f9ccebcbf646791ceca5e4a04f	2026-11-16 10:13:25.485798+00
8	0008_purchases	29d58ae03be0e00c17a76f9d02359e7ca5ad62d93867881087134455921926c5	2026-11-16 10:13:25.494489+00
9	0009_integrations	4f01a460956900a81bb61c0e0cae61c88cc164751a0d6eda8a561dea099c955c	2026-11-16 10:13:25.508816+00
10	0010_coupons	55391a70dd38be8250a3e004ee3bae2851d83e6fab6974ae9a980e0bcbcc0697	2026-11-16 10:13:25.529801+00
11	0011_templates	99e083465af071a19fec385e28500b0c605f4a82ad7bc64f7d974058c0a56090	2026-11-16 10:13:25.564373+00
12	0012_workflows	95f6e61cfe91dbc7dcdaa26b8328e296e11259445b6fb62efc0ca68a54f096a6	2026-11-16 10:13:25.572352+00
13	0013_custom_events	0a7e865f1e690869f02317c3e90c575f90b8565eeca6296d6dede6f8bed896b3	2026-11-16 10:13:25.597932+00
14	0014_jobs	ed250643713da539ba9c45626e3a9b7fa20e416e4ac89038b3a11914e3d11632	2026-11-16 10:13:25.623753+00
15	0015_claims	8200939b9773e96bbd1c2772948a9e55eaeec4e0f1a36ceb6950beb05615529f	2026-11-16 10:13:25.639653+00
16	0016_imports	962206633869407eea78bd0e59a5b70c52c742c0fdf1e70f1119456602d233f7	2026-11-16 10:13:25.641488+00
17	0017_statistics	3dfdf864c9c4a4f07e13543ad07e3c8898a912ad1e9ced85aa51fdd30348225c	2026-11-16 10:13:25.659082+00
\.

COPY public.store_usage (account_id, contacts, products, purchases, events_this_month, as_of) FROM stdin;
8622802557310548431	0	0	0	0	2026-11-16 10:13:25.739417+00
1753078097975102848	0	0	0	0	2026-11-16 10:13:25.739417+00
3252306402416634844	0	0	0	0	2026-11-16 10:13:25.929464+00
8618828687885650828	0	0	0	0	2026-11-16 10:13:25.929464+00
\.

COPY public.stored_file (account_id, name, job_id, remove_at) FROM stdin;
8622802557310548431	imports/8622802557310548431/01a1e3d8-f26f-730f-8eb2-776c50e6c406	01a1e3d8-f27d-725b-b31b-f42675470437	2026-11-23 10:13:28.318603+00
8622802557310548431	imports/8622802557310548431/01a1e3d8-f27d-725b-b31b-f42675470437-report-1	01a1e3d8-f27d-725b-b31b-f42675470437	2026-11-24 10:13:28.441859+00
8622802557310548431	exports/8622802557310548431/01a1e3d8-f349-704f-9dce-7d8613cf4588-1	01a1e3d8-f349-704f-9dce-7d8613cf4588	2026-11-24 10:13:28.702885+00
\.

COPY public.suppression (account_id, channel, address_hash, reason, at) FROM stdin;
8622802557310548431	email	\\xce1e67b994b51b259e84d781131cf3193c983e6f33c1a1b6d82d946fd1f04bed	unsubscribed	2026-11-16 10:13:27.675+00
\.

COPY public.template (account_id, template_id, alias, name, version, created_at, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-f205-735b-9ea0-9c8deda92223	cart-reminder	Cart reminder	1	2026-11-16 10:13:28.197013+00	2026-11-16 10:13:28.197013+00
\.

COPY public.workflow (account_id, workflow_id, alias, name, status, active_version, draft_version, finish_mode, activated_at, finished_at, version, created_at, updated_at) FROM stdin;
8622802557310548431	01a1e3d8-f21e-73cb-9a37-029fb52ce833	reminder	Reminder	active	1	\N	\N	2026-11-16 10:13:28.26151+00	\N	2	2026-11-16 10:13:28.222888+00	2026-11-16 10:13:28.26151+00
\.

COPY public.workflow_reference (account_id, workflow_id, version, number, field_id, event_type_id, template_id, coupon_set_id) FROM stdin;
8622802557310548431	01a1e3d8-f21e-73cb-9a37-029fb52ce833	1	1	\N	\N	01a1e3d8-f205-735b-9ea0-9c8deda92223	\N
8622802557310548431	01a1e3d8-f21e-73cb-9a37-029fb52ce833	1	2	\N	\N	\N	01a1e3d8-f094-7172-b646-ebc597069e14
\.

COPY public.workflow_version (account_id, workflow_id, version, definition, created_at, published_at) FROM stdin;
8622802557310548431	01a1e3d8-f21e-73cb-9a37-029fb52ce833	1	{"alias":"reminder","name":"Reminder","priority":0,"tags":[],"trigger":{"event":"contact.created"},"nodes":[{"id":"gift","type":"coupon","couponSet":"ten-percent","as":"gift","next":"mail"},{"id":"mail","type":"email","template":"cart-reminder","class":"marketing"}]}	2026-11-16 10:13:28.222888+00	2026-11-16 10:13:28.26151+00
\.

SELECT pg_catalog.setval('public.coupon_number_seq', 3, true);

SELECT pg_catalog.setval('public.event_id_seq', 30, true);

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (account_id, key_id);

ALTER TABLE ONLY public.bucket_use
    ADD CONSTRAINT bucket_use_pkey PRIMARY KEY (account_id, bucket, process);

ALTER TABLE ONLY public.claim
    ADD CONSTRAINT claim_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_0
    ADD CONSTRAINT claim_0_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_1
    ADD CONSTRAINT claim_1_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_2
    ADD CONSTRAINT claim_2_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_3
    ADD CONSTRAINT claim_3_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_4
    ADD CONSTRAINT claim_4_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_5
    ADD CONSTRAINT claim_5_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_6
    ADD CONSTRAINT claim_6_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.claim_7
    ADD CONSTRAINT claim_7_pkey PRIMARY KEY (account_id, kind, key_hash);

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_pkey PRIMARY KEY (account_id, contact_id, at, channel, status);

ALTER TABLE ONLY public.contact_facet
    ADD CONSTRAINT contact_facet_pkey PRIMARY KEY (account_id, facet, value, contact_id);

ALTER TABLE ONLY public.contact_field_counter
    ADD CONSTRAINT contact_field_counter_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.contact_field
    ADD CONSTRAINT contact_field_pkey PRIMARY KEY (account_id, id);

ALTER TABLE ONLY public.contact
    ADD CONSTRAINT contact_pkey PRIMARY KEY (account_id, contact_id);

ALTER TABLE ONLY public.coupon_claim
    ADD CONSTRAINT coupon_claim_pkey PRIMARY KEY (account_id, claim_id);

ALTER TABLE ONLY public.coupon
    ADD CONSTRAINT coupon_pkey PRIMARY KEY (account_id, code_key);

ALTER TABLE ONLY public.coupon_redemption
    ADD CONSTRAINT coupon_redemption_pkey PRIMARY KEY (account_id, purchase_id, code_key);

ALTER TABLE ONLY public.coupon_set
    ADD CONSTRAINT coupon_set_pkey PRIMARY KEY (account_id, coupon_set_id);

ALTER TABLE ONLY public.coupon_slot
    ADD CONSTRAINT coupon_slot_pkey PRIMARY KEY (account_id, coupon_set_id, slot);

ALTER TABLE ONLY public.dropped_contact_field
    ADD CONSTRAINT dropped_contact_field_pkey PRIMARY KEY (account_id, number);

ALTER TABLE ONLY public.dropped_coupon_set
    ADD CONSTRAINT dropped_coupon_set_pkey PRIMARY KEY (account_id, coupon_set_id);

ALTER TABLE ONLY public.erased_contact
    ADD CONSTRAINT erased_contact_pkey PRIMARY KEY (account_id, contact_id);

ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT erasure_pkey PRIMARY KEY (account_id, identifier_hash);

ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (account_id, received_at, id);

ALTER TABLE ONLY public.event_2026_11
    ADD CONSTRAINT event_2026_11_pkey PRIMARY KEY (account_id, received_at, id);

ALTER TABLE ONLY public.event_2026_12
    ADD CONSTRAINT event_2026_12_pkey PRIMARY KEY (account_id, received_at, id);

ALTER TABLE ONLY public.event_2027_01
    ADD CONSTRAINT event_2027_01_pkey PRIMARY KEY (account_id, received_at, id);

ALTER TABLE ONLY public.event_claim
    ADD CONSTRAINT event_claim_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_0
    ADD CONSTRAINT event_claim_0_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_1
    ADD CONSTRAINT event_claim_1_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_2
    ADD CONSTRAINT event_claim_2_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_3
    ADD CONSTRAINT event_claim_3_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_4
    ADD CONSTRAINT event_claim_4_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_5
    ADD CONSTRAINT event_claim_5_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_6
    ADD CONSTRAINT event_claim_6_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_claim_7
    ADD CONSTRAINT event_claim_7_pkey PRIMARY KEY (account_id, key_hash);

ALTER TABLE ONLY public.event_type_counter
    ADD CONSTRAINT event_type_counter_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.event_type
    ADD CONSTRAINT event_type_pkey PRIMARY KEY (account_id, event_type_id);

ALTER TABLE ONLY public.import_failure
    ADD CONSTRAINT import_failure_pkey PRIMARY KEY (account_id, job_id, "row");

ALTER TABLE ONLY public.integration
    ADD CONSTRAINT integration_pkey PRIMARY KEY (account_id, integration_id);

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (account_id, job_id);

ALTER TABLE ONLY public.key_use
    ADD CONSTRAINT key_use_pkey PRIMARY KEY (account_id, key_id);

ALTER TABLE ONLY public.merged_contact
    ADD CONSTRAINT merged_contact_pkey PRIMARY KEY (account_id, contact_id);

ALTER TABLE ONLY public.product
    ADD CONSTRAINT product_pkey PRIMARY KEY (account_id, product_id);

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_pkey PRIMARY KEY (account_id, purchase_id);

ALTER TABLE ONLY public.schema_migration
    ADD CONSTRAINT schema_migration_pkey PRIMARY KEY (number);

ALTER TABLE ONLY public.store_usage
    ADD CONSTRAINT store_usage_pkey PRIMARY KEY (account_id);

ALTER TABLE ONLY public.stored_file
    ADD CONSTRAINT stored_file_pkey PRIMARY KEY (account_id, name);

ALTER TABLE ONLY public.suppression
    ADD CONSTRAINT suppression_pkey PRIMARY KEY (account_id, channel, address_hash);

ALTER TABLE ONLY public.template
    ADD CONSTRAINT template_pkey PRIMARY KEY (account_id, template_id);

ALTER TABLE ONLY public.workflow
    ADD CONSTRAINT workflow_pkey PRIMARY KEY (account_id, workflow_id);

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_pkey PRIMARY KEY (account_id, workflow_id, version, number);

ALTER TABLE ONLY public.workflow_version
    ADD CONSTRAINT workflow_version_pkey PRIMARY KEY (account_id, workflow_id, version);

CREATE INDEX account_live ON public.account USING btree (live_account_id) WHERE (live_account_id IS NOT NULL);

CREATE UNIQUE INDEX api_key_hash ON public.api_key USING btree (hash);

CREATE INDEX claim_0_made_at ON public.claim_0 USING btree (made_at);

CREATE INDEX claim_1_made_at ON public.claim_1 USING btree (made_at);

CREATE INDEX claim_2_made_at ON public.claim_2 USING btree (made_at);

CREATE INDEX claim_3_made_at ON public.claim_3 USING btree (made_at);

CREATE INDEX claim_4_made_at ON public.claim_4 USING btree (made_at);

CREATE INDEX claim_5_made_at ON public.claim_5 USING btree (made_at);

CREATE INDEX claim_6_made_at ON public.claim_6 USING btree (made_at);

CREATE INDEX claim_7_made_at ON public.claim_7 USING btree (made_at);

CREATE UNIQUE INDEX contact_email ON public.contact USING btree (account_id, email_key) WHERE (email_key IS NOT NULL);

CREATE UNIQUE INDEX contact_external_id ON public.contact USING btree (account_id, external_id) WHERE (external_id IS NOT NULL);

CREATE INDEX contact_facet_contact ON public.contact_facet USING btree (account_id, contact_id);

CREATE UNIQUE INDEX contact_field_number ON public.contact_field USING btree (account_id, number);

CREATE INDEX contact_name ON public.contact USING btree (account_id, name_key) WHERE (name_key IS NOT NULL);

CREATE INDEX contact_surname ON public.contact USING btree (account_id, surname_key) WHERE (surname_key IS NOT NULL);

CREATE INDEX contact_updated ON public.contact USING btree (account_id, updated_at);

CREATE INDEX coupon_available ON public.coupon USING btree (account_id, coupon_set_id, number) WHERE ((claim_id IS NULL) AND (NOT redeemed) AND (NOT shared));

CREATE INDEX coupon_claim_contact ON public.coupon_claim USING btree (account_id, contact_id) WHERE (contact_id IS NOT NULL);

CREATE INDEX coupon_claim_set ON public.coupon_claim USING btree (account_id, coupon_set_id);

CREATE UNIQUE INDEX coupon_claimed ON public.coupon USING btree (account_id, claim_id) WHERE (claim_id IS NOT NULL);

CREATE INDEX coupon_of_set ON public.coupon USING btree (account_id, coupon_set_id, number);

CREATE INDEX coupon_redemption_code ON public.coupon_redemption USING btree (account_id, code_key);

CREATE INDEX coupon_redemption_contact ON public.coupon_redemption USING btree (account_id, contact_id) WHERE (contact_id IS NOT NULL);

CREATE INDEX coupon_redemption_set ON public.coupon_redemption USING btree (account_id, coupon_set_id);

CREATE UNIQUE INDEX coupon_set_alias ON public.coupon_set USING btree (account_id, alias);

CREATE INDEX coupon_set_watched ON public.coupon_set USING btree (account_id, coupon_set_id) WHERE ((low_watermark IS NOT NULL) AND (NOT is_low));

CREATE INDEX erased_contact_due ON public.erased_contact USING btree (due_at);

CREATE INDEX erasure_age ON public.erasure USING btree (erased_at);

CREATE INDEX event_contact ON ONLY public.event USING btree (account_id, contact_id, received_at, id, kind);

CREATE INDEX event_2026_11_account_id_contact_id_received_at_id_kind_idx ON public.event_2026_11 USING btree (account_id, contact_id, received_at, id, kind);

CREATE INDEX event_growth ON ONLY public.event USING btree (account_id, received_at) WHERE (kind = ANY (ARRAY['contact.created'::text, 'contact.merged'::text, 'contact.deleted'::text, 'contact.subscribed'::text, 'contact.unsubscribed'::text]));

CREATE INDEX event_2026_11_account_id_received_at_idx ON public.event_2026_11 USING btree (account_id, received_at) WHERE (kind = ANY (ARRAY['contact.created'::text, 'contact.merged'::text, 'contact.deleted'::text, 'contact.subscribed'::text, 'contact.unsubscribed'::text]));

CREATE INDEX event_occurred ON ONLY public.event USING brin (occurred_at timestamptz_minmax_multi_ops) WITH (pages_per_range='64');

CREATE INDEX event_2026_11_occurred_at_idx ON public.event_2026_11 USING brin (occurred_at timestamptz_minmax_multi_ops) WITH (pages_per_range='64');

CREATE INDEX event_xid ON ONLY public.event USING btree (xid);

CREATE INDEX event_2026_11_xid_idx ON public.event_2026_11 USING btree (xid);

CREATE INDEX event_2026_12_account_id_contact_id_received_at_id_kind_idx ON public.event_2026_12 USING btree (account_id, contact_id, received_at, id, kind);

CREATE INDEX event_2026_12_account_id_received_at_idx ON public.event_2026_12 USING btree (account_id, received_at) WHERE (kind = ANY (ARRAY['contact.created'::text, 'contact.merged'::text, 'contact.deleted'::text, 'contact.subscribed'::text, 'contact.unsubscribed'::text]));

CREATE INDEX event_2026_12_occurred_at_idx ON public.event_2026_12 USING brin (occurred_at timestamptz_minmax_multi_ops) WITH (pages_per_range='64');

CREATE INDEX event_2026_12_xid_idx ON public.event_2026_12 USING btree (xid);

CREATE INDEX event_2027_01_account_id_contact_id_received_at_id_kind_idx ON public.event_2027_01 USING btree (account_id, contact_id, received_at, id, kind);

CREATE INDEX event_2027_01_account_id_received_at_idx ON public.event_2027_01 USING btree (account_id, received_at) WHERE (kind = ANY (ARRAY['contact.created'::text, 'contact.merged'::text, 'contact.deleted'::text, 'contact.subscribed'::text, 'contact.unsubscribed'::text]));

CREATE INDEX event_2027_01_occurred_at_idx ON public.event_2027_01 USING brin (occurred_at timestamptz_minmax_multi_ops) WITH (pages_per_range='64');

CREATE INDEX event_2027_01_xid_idx ON public.event_2027_01 USING btree (xid);

CREATE INDEX event_claim_0_made_at ON public.event_claim_0 USING btree (made_at);

CREATE INDEX event_claim_1_made_at ON public.event_claim_1 USING btree (made_at);

CREATE INDEX event_claim_2_made_at ON public.event_claim_2 USING btree (made_at);

CREATE INDEX event_claim_3_made_at ON public.event_claim_3 USING btree (made_at);

CREATE INDEX event_claim_4_made_at ON public.event_claim_4 USING btree (made_at);

CREATE INDEX event_claim_5_made_at ON public.event_claim_5 USING btree (made_at);

CREATE INDEX event_claim_6_made_at ON public.event_claim_6 USING btree (made_at);

CREATE INDEX event_claim_7_made_at ON public.event_claim_7 USING btree (made_at);

CREATE UNIQUE INDEX event_type_alias ON public.event_type USING btree (account_id, alias) WHERE (alias IS NOT NULL);

CREATE INDEX event_type_integration ON public.event_type USING btree (account_id, integration_id, event_type_id);

CREATE UNIQUE INDEX integration_name ON public.integration USING btree (account_id, name);

CREATE INDEX job_ended ON public.job USING btree (finished_at) WHERE (finished_at IS NOT NULL);

CREATE INDEX job_unfinished ON public.job USING btree (queued_at, job_id) WHERE (state = ANY (ARRAY['queued'::text, 'inProgress'::text]));

CREATE INDEX merged_contact_into ON public.merged_contact USING btree (account_id, into_id);

CREATE INDEX product_name ON public.product USING btree (account_id, name_key, product_id) WHERE (name_key IS NOT NULL);

CREATE UNIQUE INDEX product_store_id ON public.product USING btree (account_id, store_id);

CREATE INDEX product_updated ON public.product USING btree (account_id, updated_at);

CREATE INDEX purchase_contact ON public.purchase USING btree (account_id, contact_id, purchased_at, purchase_id);

CREATE INDEX purchase_moved ON public.purchase USING btree (account_id, moved_xid) WHERE (moved_xid IS NOT NULL);

CREATE INDEX purchase_status ON public.purchase USING btree (account_id, status, purchased_at, purchase_id);

CREATE UNIQUE INDEX purchase_store_id ON public.purchase USING btree (account_id, store_id);

CREATE INDEX purchase_time ON public.purchase USING btree (account_id, purchased_at, purchase_id);

CREATE INDEX stored_file_due ON public.stored_file USING btree (remove_at);

CREATE INDEX stored_file_job ON public.stored_file USING btree (account_id, job_id);

CREATE UNIQUE INDEX template_alias ON public.template USING btree (account_id, alias);

CREATE UNIQUE INDEX workflow_alias ON public.workflow USING btree (account_id, alias);

CREATE INDEX workflow_reference_coupon_set ON public.workflow_reference USING btree (account_id, coupon_set_id) WHERE (coupon_set_id IS NOT NULL);

CREATE INDEX workflow_reference_event_type ON public.workflow_reference USING btree (account_id, event_type_id) WHERE (event_type_id IS NOT NULL);

CREATE INDEX workflow_reference_field ON public.workflow_reference USING btree (account_id, field_id) WHERE (field_id IS NOT NULL);

CREATE INDEX workflow_reference_template ON public.workflow_reference USING btree (account_id, template_id) WHERE (template_id IS NOT NULL);

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_0_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_1_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_2_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_3_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_4_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_5_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_6_pkey;

ALTER INDEX public.claim_pkey ATTACH PARTITION public.claim_7_pkey;

ALTER INDEX public.event_contact ATTACH PARTITION public.event_2026_11_account_id_contact_id_received_at_id_kind_idx;

ALTER INDEX public.event_growth ATTACH PARTITION public.event_2026_11_account_id_received_at_idx;

ALTER INDEX public.event_occurred ATTACH PARTITION public.event_2026_11_occurred_at_idx;

ALTER INDEX public.event_pkey ATTACH PARTITION public.event_2026_11_pkey;

ALTER INDEX public.event_xid ATTACH PARTITION public.event_2026_11_xid_idx;

ALTER INDEX public.event_contact ATTACH PARTITION public.event_2026_12_account_id_contact_id_received_at_id_kind_idx;

ALTER INDEX public.event_growth ATTACH PARTITION public.event_2026_12_account_id_received_at_idx;

ALTER INDEX public.event_occurred ATTACH PARTITION public.event_2026_12_occurred_at_idx;

ALTER INDEX public.event_pkey ATTACH PARTITION public.event_2026_12_pkey;

ALTER INDEX public.event_xid ATTACH PARTITION public.event_2026_12_xid_idx;

ALTER INDEX public.event_contact ATTACH PARTITION public.event_2027_01_account_id_contact_id_received_at_id_kind_idx;

ALTER INDEX public.event_growth ATTACH PARTITION public.event_2027_01_account_id_received_at_idx;

ALTER INDEX public.event_occurred ATTACH PARTITION public.event_2027_01_occurred_at_idx;

ALTER INDEX public.event_pkey ATTACH PARTITION public.event_2027_01_pkey;

ALTER INDEX public.event_xid ATTACH PARTITION public.event_2027_01_xid_idx;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_0_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_1_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_2_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_3_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_4_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_5_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_6_pkey;

ALTER INDEX public.event_claim_pkey ATTACH PARTITION public.event_claim_7_pkey;

CREATE TRIGGER facets_go AFTER DELETE ON public.contact FOR EACH ROW EXECUTE FUNCTION public.drop_facets();

CREATE TRIGGER purchase_moved BEFORE UPDATE OF contact_id ON public.purchase FOR EACH ROW WHEN ((old.contact_id IS DISTINCT FROM new.contact_id)) EXECUTE FUNCTION public.note_move();

ALTER TABLE ONLY public.account
    ADD CONSTRAINT account_live_account_id_fkey FOREIGN KEY (live_account_id) REFERENCES public.account(account_id);

ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.consent
    ADD CONSTRAINT consent_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.contact_field
    ADD CONSTRAINT contact_field_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.contact_field_counter
    ADD CONSTRAINT contact_field_counter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.coupon_claim
    ADD CONSTRAINT coupon_claim_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE SET NULL (contact_id);

ALTER TABLE ONLY public.coupon_redemption
    ADD CONSTRAINT coupon_redemption_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE SET NULL (contact_id);

ALTER TABLE ONLY public.coupon_set
    ADD CONSTRAINT coupon_set_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dropped_contact_field
    ADD CONSTRAINT dropped_contact_field_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.dropped_coupon_set
    ADD CONSTRAINT dropped_coupon_set_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.erased_contact
    ADD CONSTRAINT erased_contact_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_type
    ADD CONSTRAINT event_type_account_id_integration_id_fkey FOREIGN KEY (account_id, integration_id) REFERENCES public.integration(account_id, integration_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.event_type_counter
    ADD CONSTRAINT event_type_counter_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.integration
    ADD CONSTRAINT integration_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.key_use
    ADD CONSTRAINT key_use_account_id_key_id_fkey FOREIGN KEY (account_id, key_id) REFERENCES public.api_key(account_id, key_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.merged_contact
    ADD CONSTRAINT merged_contact_account_id_into_id_fkey FOREIGN KEY (account_id, into_id) REFERENCES public.contact(account_id, contact_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.purchase
    ADD CONSTRAINT purchase_account_id_contact_id_fkey FOREIGN KEY (account_id, contact_id) REFERENCES public.contact(account_id, contact_id) ON DELETE SET NULL (contact_id);

ALTER TABLE ONLY public.store_usage
    ADD CONSTRAINT store_usage_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.template
    ADD CONSTRAINT template_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workflow
    ADD CONSTRAINT workflow_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.account(account_id) ON DELETE CASCADE;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_coupon_set_id_fkey FOREIGN KEY (account_id, coupon_set_id) REFERENCES public.coupon_set(account_id, coupon_set_id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_event_type_id_fkey FOREIGN KEY (account_id, event_type_id) REFERENCES public.event_type(account_id, event_type_id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_field_id_fkey FOREIGN KEY (account_id, field_id) REFERENCES public.contact_field(account_id, id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_template_id_fkey FOREIGN KEY (account_id, template_id) REFERENCES public.template(account_id, template_id) ON DELETE RESTRICT;

ALTER TABLE ONLY public.workflow_reference
    ADD CONSTRAINT workflow_reference_account_id_workflow_id_version_fkey FOREIGN KEY (account_id, workflow_id, version) REFERENCES public.workflow_version(account_id, workflow_id, version) ON DELETE CASCADE;

ALTER TABLE ONLY public.workflow_version
    ADD CONSTRAINT workflow_version_account_id_workflow_id_fkey FOREIGN KEY (account_id, workflow_id) REFERENCES public.workflow(account_id, workflow_id) ON DELETE CASCADE;

ALTER TABLE public.account ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.api_key ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.bucket_use ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_0 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_1 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_2 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_3 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_4 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_5 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_6 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.claim_7 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.consent ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.contact ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.contact_facet ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.contact_field ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.contact_field_counter ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.coupon ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.coupon_claim ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.coupon_redemption ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.coupon_set ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.coupon_slot ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dropped_contact_field ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.dropped_coupon_set ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.erased_contact ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.erasure ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_2026_11 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_2026_12 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_2027_01 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_0 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_1 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_2 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_3 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_4 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_5 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_6 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_claim_7 ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_type ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.event_type_counter ENABLE ROW LEVEL SECURITY;

CREATE POLICY every_account ON public.account TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.api_key TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.bucket_use TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.contact_field TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.contact_field_counter TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.dropped_contact_field TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.event TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.import_failure TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.job TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.key_use TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.store_usage TO shopbell_worker USING (true);

CREATE POLICY every_account ON public.stored_file TO shopbell_worker USING (true);

ALTER TABLE public.import_failure ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.integration ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.job ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.key_use ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.merged_contact ENABLE ROW LEVEL SECURITY;

CREATE POLICY own_account ON public.account TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.api_key TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.claim TO shopbell_api USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.consent TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.contact TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.contact_facet TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.contact_field TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.contact_field_counter TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.coupon TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.coupon_claim TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.coupon_redemption TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.coupon_set TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.coupon_slot TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.dropped_contact_field TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.dropped_coupon_set TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.erased_contact TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.erasure TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.event TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.event_claim TO shopbell_api USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.event_type TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.event_type_counter TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.import_failure TO shopbell_api USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.integration TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.job TO shopbell_api USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.key_use TO shopbell_api USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.merged_contact TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.product TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.purchase TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.store_usage TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.stored_file TO shopbell_api USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.suppression TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.template TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.workflow TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.workflow_reference TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

CREATE POLICY own_account ON public.workflow_version TO shopbell_api, shopbell_reader USING ((account_id = public.current_account()));

ALTER TABLE public.product ENABLE ROW LEVEL SECURITY;

CREATE POLICY published_once ON public.workflow_version AS RESTRICTIVE FOR UPDATE TO shopbell_api USING ((published_at IS NULL)) WITH CHECK ((published_at IS NOT NULL));

CREATE POLICY published_stays ON public.workflow_version AS RESTRICTIVE FOR DELETE TO shopbell_api USING ((published_at IS NULL));

ALTER TABLE public.purchase ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.store_usage ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.stored_file ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.suppression ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.template ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workflow ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workflow_reference ENABLE ROW LEVEL SECURITY;

ALTER TABLE public.workflow_version ENABLE ROW LEVEL SECURITY;

REVOKE USAGE ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO shopbell_api;
GRANT USAGE ON SCHEMA public TO shopbell_worker;
GRANT USAGE ON SCHEMA public TO shopbell_reader;

REVOKE ALL ON FUNCTION public.analyze_grown() FROM PUBLIC;
GRANT ALL ON FUNCTION public.analyze_grown() TO shopbell_worker;

REVOKE ALL ON FUNCTION public.claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid, OUT outcome text, OUT code text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.claim_coupon(of_account bigint, of_set uuid, for_contact uuid, claim uuid, run uuid, OUT outcome text, OUT code text) TO shopbell_worker;

GRANT SELECT ON TABLE public.contact_facet TO shopbell_reader;
GRANT SELECT,INSERT,DELETE ON TABLE public.contact_facet TO shopbell_api;

GRANT SELECT,INSERT ON TABLE public.coupon_slot TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_slot TO shopbell_reader;

GRANT UPDATE(total) ON TABLE public.coupon_slot TO shopbell_api;

GRANT UPDATE(available) ON TABLE public.coupon_slot TO shopbell_api;

GRANT UPDATE(assigned) ON TABLE public.coupon_slot TO shopbell_api;

GRANT UPDATE(redeemed) ON TABLE public.coupon_slot TO shopbell_api;

REVOKE ALL ON FUNCTION public.count_usage(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.count_usage(most integer) TO shopbell_worker;

GRANT SELECT,INSERT,UPDATE ON TABLE public.claim TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_expired_claims(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_expired_claims(most integer) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.event_claim TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_expired_event_claims(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_expired_event_claims(most integer) TO shopbell_worker;

GRANT SELECT ON TABLE public.erasure TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.erasure TO shopbell_api;

GRANT UPDATE(erased_at) ON TABLE public.erasure TO shopbell_api;

REVOKE ALL ON FUNCTION public.delete_old_erasures(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.delete_old_erasures(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.drop_facets() FROM PUBLIC;

GRANT SELECT ON TABLE public.account TO shopbell_api;
GRANT SELECT ON TABLE public.account TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(state) ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(name) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(url) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(time_zone) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(currency) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(locale) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(country) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(domains) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(marketing_requires) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(marketing_per_day) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(marketing_per_week) ON TABLE public.account TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(updated_at) ON TABLE public.account TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(requests_per_second) ON TABLE public.account TO shopbell_worker;

GRANT UPDATE(request_burst) ON TABLE public.account TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.api_key TO shopbell_worker;
GRANT INSERT ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(account_id) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(key_id) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(name),UPDATE(name) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(hint) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(scopes),UPDATE(scopes) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(created_at) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(expires_at),UPDATE(expires_at) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(revoked_at),UPDATE(revoked_at) ON TABLE public.api_key TO shopbell_api;
GRANT UPDATE(revoked_at) ON TABLE public.api_key TO shopbell_worker;

GRANT SELECT(requests_per_second),UPDATE(requests_per_second) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(request_burst),UPDATE(request_burst) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(allowed_addresses),UPDATE(allowed_addresses) ON TABLE public.api_key TO shopbell_api;

GRANT SELECT(version),UPDATE(version) ON TABLE public.api_key TO shopbell_api;
GRANT UPDATE(version) ON TABLE public.api_key TO shopbell_worker;

GRANT SELECT(updated_at),UPDATE(updated_at) ON TABLE public.api_key TO shopbell_api;
GRANT UPDATE(updated_at) ON TABLE public.api_key TO shopbell_worker;

REVOKE ALL ON FUNCTION public.find_key(hashes bytea[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_key(hashes bytea[]) TO shopbell_api;

REVOKE ALL ON FUNCTION public.forget_erased(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget_erased(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.keep_event_partitions(retention interval, ahead integer, OUT made text[], OUT dropped text[], OUT covered boolean) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.purge_dropped_coupons(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.purge_dropped_coupons(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.purge_dropped_fields(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.purge_dropped_fields(most integer) TO shopbell_worker;

REVOKE ALL ON FUNCTION public.tell_low_coupon_set(of_account bigint, of_set uuid) FROM PUBLIC;

GRANT SELECT,INSERT,DELETE ON TABLE public.coupon_set TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_set TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.coupon_set TO shopbell_api;

GRANT UPDATE(valid_from) ON TABLE public.coupon_set TO shopbell_api;

GRANT UPDATE(expires_at) ON TABLE public.coupon_set TO shopbell_api;

GRANT UPDATE(low_watermark) ON TABLE public.coupon_set TO shopbell_api;

GRANT UPDATE(is_low) ON TABLE public.coupon_set TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.coupon_set TO shopbell_api;

GRANT UPDATE(updated_at) ON TABLE public.coupon_set TO shopbell_api;

REVOKE ALL ON FUNCTION public.tell_low_coupon_sets(most integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.tell_low_coupon_sets(most integer) TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.workflow TO shopbell_api;
GRANT SELECT ON TABLE public.workflow TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(status) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(active_version) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(draft_version) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(finish_mode) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(activated_at) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(finished_at) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.workflow TO shopbell_api;

GRANT UPDATE(updated_at) ON TABLE public.workflow TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.workflow_reference TO shopbell_api;
GRANT SELECT ON TABLE public.workflow_reference TO shopbell_reader;

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.bucket_use TO shopbell_worker;

GRANT SELECT ON TABLE public.consent TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.consent TO shopbell_api;

GRANT SELECT ON TABLE public.contact TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact TO shopbell_api;

GRANT SELECT ON TABLE public.contact_field TO shopbell_worker;
GRANT SELECT ON TABLE public.contact_field TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact_field TO shopbell_api;

GRANT SELECT ON TABLE public.contact_field_counter TO shopbell_worker;
GRANT SELECT ON TABLE public.contact_field_counter TO shopbell_reader;
GRANT SELECT,INSERT,UPDATE ON TABLE public.contact_field_counter TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.coupon TO shopbell_api;
GRANT SELECT ON TABLE public.coupon TO shopbell_reader;

GRANT UPDATE(redeemed) ON TABLE public.coupon TO shopbell_api;

GRANT SELECT ON TABLE public.coupon_claim TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_claim TO shopbell_reader;

GRANT UPDATE(contact_id) ON TABLE public.coupon_claim TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.coupon_redemption TO shopbell_api;
GRANT SELECT ON TABLE public.coupon_redemption TO shopbell_reader;

GRANT UPDATE(contact_id) ON TABLE public.coupon_redemption TO shopbell_api;

GRANT SELECT ON TABLE public.dropped_contact_field TO shopbell_worker;
GRANT SELECT ON TABLE public.dropped_contact_field TO shopbell_reader;
GRANT INSERT ON TABLE public.dropped_contact_field TO shopbell_api;

GRANT INSERT ON TABLE public.dropped_coupon_set TO shopbell_api;

GRANT SELECT ON TABLE public.erased_contact TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.erased_contact TO shopbell_api;

GRANT SELECT,INSERT ON TABLE public.event TO shopbell_api;
GRANT SELECT,INSERT ON TABLE public.event TO shopbell_worker;
GRANT SELECT ON TABLE public.event TO shopbell_reader;

GRANT UPDATE(payload) ON TABLE public.event TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.event_type TO shopbell_api;

GRANT SELECT(account_id) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(event_type_id) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(integration_id) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(name) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(direction) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(alias) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(fields) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(fields) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(additional_members) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(url) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(url) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(headers) ON TABLE public.event_type TO shopbell_api;

GRANT UPDATE(signing_secret) ON TABLE public.event_type TO shopbell_api;

GRANT UPDATE(previous_signing_secret) ON TABLE public.event_type TO shopbell_api;

GRANT UPDATE(previous_valid_until) ON TABLE public.event_type TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(version) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT(created_at) ON TABLE public.event_type TO shopbell_reader;

GRANT UPDATE(updated_at) ON TABLE public.event_type TO shopbell_api;
GRANT SELECT(updated_at) ON TABLE public.event_type TO shopbell_reader;

GRANT SELECT,INSERT ON TABLE public.event_type_counter TO shopbell_api;
GRANT SELECT ON TABLE public.event_type_counter TO shopbell_reader;

GRANT UPDATE(version) ON TABLE public.event_type_counter TO shopbell_api;

GRANT SELECT,INSERT ON TABLE public.import_failure TO shopbell_api;
GRANT SELECT,DELETE ON TABLE public.import_failure TO shopbell_worker;

GRANT SELECT,INSERT,DELETE ON TABLE public.integration TO shopbell_api;
GRANT SELECT ON TABLE public.integration TO shopbell_reader;

GRANT UPDATE(name) ON TABLE public.integration TO shopbell_api;

GRANT UPDATE(description) ON TABLE public.integration TO shopbell_api;

GRANT UPDATE(color) ON TABLE public.integration TO shopbell_api;

GRANT UPDATE(image_url) ON TABLE public.integration TO shopbell_api;

GRANT UPDATE(events_enabled) ON TABLE public.integration TO shopbell_api;

GRANT UPDATE(version) ON TABLE public.integration TO shopbell_api;

GRANT UPDATE(updated_at) ON TABLE public.integration TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.job TO shopbell_api;
GRANT SELECT,DELETE,UPDATE ON TABLE public.job TO shopbell_worker;

GRANT UPDATE(state) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(generation) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(leased_until) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(done) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(total) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(result) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(updated_at) ON TABLE public.job TO shopbell_api;

GRANT UPDATE(finished_at) ON TABLE public.job TO shopbell_api;

GRANT SELECT ON TABLE public.key_use TO shopbell_api;
GRANT SELECT,INSERT,UPDATE ON TABLE public.key_use TO shopbell_worker;

GRANT SELECT ON TABLE public.merged_contact TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.merged_contact TO shopbell_api;

GRANT UPDATE(into_id) ON TABLE public.merged_contact TO shopbell_api;

GRANT SELECT ON TABLE public.product TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.product TO shopbell_api;

GRANT SELECT ON TABLE public.purchase TO shopbell_reader;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.purchase TO shopbell_api;

GRANT SELECT ON TABLE public.schema_migration TO shopbell_api;
GRANT SELECT ON TABLE public.schema_migration TO shopbell_worker;
GRANT SELECT ON TABLE public.schema_migration TO shopbell_reader;

GRANT SELECT ON TABLE public.shown_contact TO shopbell_api;
GRANT SELECT ON TABLE public.shown_contact TO shopbell_reader;

GRANT SELECT ON TABLE public.shown_coupon_set TO shopbell_api;
GRANT SELECT ON TABLE public.shown_coupon_set TO shopbell_reader;

GRANT SELECT ON TABLE public.store_usage TO shopbell_api;
GRANT SELECT ON TABLE public.store_usage TO shopbell_reader;
GRANT SELECT,INSERT ON TABLE public.store_usage TO shopbell_worker;

GRANT SELECT,INSERT ON TABLE public.stored_file TO shopbell_api;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.stored_file TO shopbell_worker;

GRANT UPDATE(job_id) ON TABLE public.stored_file TO shopbell_api;

GRANT UPDATE(remove_at) ON TABLE public.stored_file TO shopbell_api;

GRANT SELECT ON TABLE public.suppression TO shopbell_reader;
GRANT SELECT,INSERT,DELETE ON TABLE public.suppression TO shopbell_api;

GRANT UPDATE(reason) ON TABLE public.suppression TO shopbell_api;

GRANT UPDATE(at) ON TABLE public.suppression TO shopbell_api;

GRANT SELECT,INSERT,DELETE ON TABLE public.template TO shopbell_api;
GRANT SELECT ON TABLE public.template TO shopbell_reader;

GRANT SELECT,INSERT,DELETE ON TABLE public.workflow_version TO shopbell_api;
GRANT SELECT ON TABLE public.workflow_version TO shopbell_reader;

GRANT UPDATE(published_at) ON TABLE public.workflow_version TO shopbell_api;

