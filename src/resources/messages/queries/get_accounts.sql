-- timeout: 4000ms
-- The settings of accounts that decide about their messages.
SELECT a.account_id, a.state = 'active' AS is_active, a.live_account_id IS NULL AS is_live, a.time_zone,
       a.marketing_requires, a.marketing_per_day, a.marketing_per_week, transaction_timestamp() AS now
  FROM (SELECT DISTINCT account_id FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)) n
  JOIN account a ON a.account_id = n.account_id
