SELECT a.id, a.name, a.url, a.time_zone, a.currency, a.locale, a.country, a.domains, a.marketing_requires,
       a.marketing_per_day, a.marketing_per_week, a.requests_per_second, a.request_burst, a.created_at, a.updated_at,
       a.version, u.contacts, u.products, u.purchases, u.events_this_month, u.as_of
  FROM account a
  JOIN store_usage u USING (account_id)
 WHERE a.account_id = $1::bigint
