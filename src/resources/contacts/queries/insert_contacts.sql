-- timeout: 20000ms
-- Many at once, as an import brings them.
INSERT INTO contact (
  account_id, contact_id, version, lane, email, email_key, external_id, first_name, last_name, name_key, surname_key,
  company, birth_date, phone, locale, time_zone, country, postal_code, currency, tags, points, fields,
  email_subscription, email_subscription_at, sms_subscription, sms_subscription_at, email_status, phone_status,
  has_consent, source_updated_at, event_seq, created_at, updated_at, purchases)
SELECT $1::bigint,
       n.contact_id, n.version + 1, n.lane, n.email, n.email_key, n.external_id, n.first_name, n.last_name,
       n.name_key, n.surname_key, n.company, n.birth_date, n.phone, n.locale, n.time_zone, n.country, n.postal_code,
       n.currency, n.tags::text[], n.points, n.fields, n.email_subscription, n.email_subscription_at,
       n.sms_subscription, n.sms_subscription_at, n.email_status, n.phone_status, n.has_consent, n.source_updated_at,
       n.event_seq, n.created_at, n.updated_at, n.purchases
  FROM unnest(
         $2::uuid[], $3::bigint[], $4::smallint[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[], $16::text[], $17::text[],
         $18::text[], $19::text[], $20::text[], $21::bigint[], $22::jsonb[], $23::text[], $24::timestamptz[],
         $25::text[], $26::timestamptz[], $27::text[], $28::text[], $29::boolean[], $30::timestamptz[], $31::bigint[],
         $32::timestamptz[], $33::timestamptz[], $34::jsonb[])
    AS n (
         contact_id, version, lane, email, email_key, external_id, first_name, last_name, name_key, surname_key,
         company, birth_date, phone, locale, time_zone, country, postal_code, currency, tags, points, fields,
         email_subscription, email_subscription_at, sms_subscription, sms_subscription_at, email_status, phone_status,
         has_consent, source_updated_at, event_seq, created_at, updated_at, purchases)
