INSERT INTO account (account_id, live_account_id, id, name, url, time_zone, currency, locale, country)
VALUES ($1::bigint, $2::bigint, $3::uuid, $4, $5, $6, $7, $8, $9)
