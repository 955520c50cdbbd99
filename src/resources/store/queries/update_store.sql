WITH changed AS (
  UPDATE account
     SET name = $3, url = $4, time_zone = $5, currency = $6, locale = $7, country = $8, domains = $9::text[],
         marketing_requires = $10, marketing_per_day = $11::integer, marketing_per_week = $12::integer,
         updated_at = $13::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND version = $2::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the store has changed meanwhile')
