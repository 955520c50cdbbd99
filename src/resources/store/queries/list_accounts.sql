SELECT account_id, live_account_id, name, requests_per_second, request_burst,
       CASE WHEN deletion_began_at IS NOT NULL THEN 'deleting'
            WHEN delete_at IS NOT NULL THEN 'marked'
            ELSE state END AS state
  FROM account
 ORDER BY coalesce(live_account_id, account_id), live_account_id NULLS FIRST
