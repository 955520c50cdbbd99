-- timeout: 20000ms
-- Many at once, as an import brings them. Never waits for another writer: who finds one locked has been overtaken.
-- Each is looked for on its own, for the planner takes a thousand of them for ten and would compare all with all.
WITH mine AS MATERIALIZED (
  SELECT n.*
    FROM unnest(
           $2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
           $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
           $18::text[], $19::text[], $20::text[], $21::bigint[], $22::jsonb[], $23::text[], $24::timestamptz[],
           $25::text[], $26::timestamptz[], $27::text[], $28::text[], $29::boolean[], $30::timestamptz[],
           $31::bigint[], $32::timestamptz[], $33::timestamptz[], $34::jsonb[])
      AS n (
           contact_id, version, lane, email, email_key, external_id, first_name, last_name, name_key, surname_key,
           company, birth_date, phone, locale, time_zone, country, postal_code, currency, tags, points, fields,
           email_subscription, email_subscription_at, sms_subscription, sms_subscription_at, email_status,
           phone_status, has_consent, source_updated_at, event_seq, created_at, updated_at, purchases)
   CROSS JOIN LATERAL (
         SELECT FROM contact c
          WHERE c.account_id = $1::bigint AND c.contact_id = n.contact_id AND c.version = n.version
            FOR NO KEY UPDATE OF c SKIP LOCKED) AS locked
), changed AS (
  UPDATE contact c
     SET version = c.version + 1,
         lane = n.lane, email = n.email, email_key = n.email_key, external_id = n.external_id,
         first_name = n.first_name, last_name = n.last_name, name_key = n.name_key, surname_key = n.surname_key,
         company = n.company, birth_date = n.birth_date, phone = n.phone, locale = n.locale, time_zone = n.time_zone,
         country = n.country, postal_code = n.postal_code, currency = n.currency, tags = n.tags::text[],
         points = n.points, fields = n.fields, email_subscription = n.email_subscription,
         email_subscription_at = n.email_subscription_at, sms_subscription = n.sms_subscription,
         sms_subscription_at = n.sms_subscription_at, email_status = n.email_status, phone_status = n.phone_status,
         has_consent = n.has_consent, source_updated_at = n.source_updated_at, event_seq = n.event_seq,
         created_at = n.created_at, updated_at = n.updated_at, purchases = n.purchases
    FROM mine n
   WHERE c.account_id = $1::bigint AND c.contact_id = n.contact_id
  RETURNING 1
)
SELECT require((SELECT count(*) FROM changed) = cardinality($2::uuid[]), 'SB001', 'a contact has changed meanwhile')
