-- timeout: 4000ms
SELECT a.name, a.url, a.time_zone, a.currency, a.locale, a.country, a.marketing_requires, a.version AS store,
       coalesce((SELECT c.version FROM contact_field_counter c WHERE c.account_id = a.account_id), 0) AS fields,
       coalesce((SELECT i.version FROM engine_interest i WHERE i.account_id = a.account_id), 0) AS interest
  FROM account a
 WHERE a.account_id = $1::bigint
