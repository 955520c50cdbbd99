SELECT account_id, live_account_id, state, name, requests_per_second, request_burst
  FROM account
 ORDER BY coalesce(live_account_id, account_id), live_account_id NULLS FIRST
