-- Never waits for another writer of the same contact: who finds it locked has been overtaken.
WITH mine AS (
  SELECT FROM contact
   WHERE account_id = $1::bigint AND contact_id = $2::uuid AND version = $3::bigint
     FOR NO KEY UPDATE SKIP LOCKED
), changed AS (
  UPDATE contact
     SET version = version + 1, lane = $4::smallint, email = $5, email_key = $6, external_id = $7, first_name = $8,
         last_name = $9, name_key = $10, surname_key = $11, company = $12, birth_date = $13, phone = $14, locale = $15,
         time_zone = $16, country = $17, postal_code = $18, currency = $19, tags = $20::text[], points = $21::bigint,
         fields = $22::jsonb, email_subscription = $23, email_subscription_at = $24::timestamptz,
         sms_subscription = $25, sms_subscription_at = $26::timestamptz, email_status = $27, phone_status = $28,
         has_consent = $29::boolean, source_updated_at = $30::timestamptz, event_seq = $31::bigint,
         created_at = $32::timestamptz, updated_at = $33::timestamptz, purchases = $34::jsonb
   WHERE account_id = $1::bigint AND contact_id = $2::uuid AND EXISTS (SELECT FROM mine)
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the contact has changed meanwhile')
