-- Usage is counted up to `p.at`. An account without a change since then has the same counts, and no events in a month
-- that began later than its last change.
SELECT a.id, a.name, a.url, a.time_zone, a.currency, a.locale, a.country, a.domains, a.marketing_requires,
       a.marketing_per_day, a.marketing_per_week, a.requests_per_second, a.request_burst, a.created_at, a.updated_at,
       a.version, u.contacts, u.products, u.purchases,
       CASE WHEN u.stale OR u.as_of >= date_trunc('month', p.at, 'UTC') THEN u.events_this_month ELSE 0
        END AS events_this_month,
       CASE WHEN u.stale THEN u.as_of ELSE greatest(u.as_of, p.at) END AS as_of
  FROM account a
  JOIN store_usage u USING (account_id)
 CROSS JOIN usage_position p
 WHERE a.account_id = $1::bigint
