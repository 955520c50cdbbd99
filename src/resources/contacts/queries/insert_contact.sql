INSERT INTO contact (account_id, contact_id, version, lane, email, email_key, external_id, first_name, last_name, name_key,
                     surname_key, company, birth_date, phone, locale, time_zone, country, postal_code, currency, tags,
                     points, fields, email_subscription, email_subscription_at, sms_subscription, sms_subscription_at,
                     email_status, phone_status, has_consent, source_updated_at, event_seq, created_at, updated_at,
                     purchases)
VALUES ($1::bigint, $2::uuid, $3::bigint + 1, $4::smallint, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
        $18, $19, $20::text[], $21::bigint, $22::jsonb, $23, $24::timestamptz, $25, $26::timestamptz, $27, $28,
        $29::boolean, $30::timestamptz, $31::bigint, $32::timestamptz, $33::timestamptz, $34::jsonb)
