SELECT live_account_id IS NOT NULL AS is_test,
       (SELECT count(*) FROM api_key k WHERE k.account_id = $1::bigint AND k.revoked_at IS NULL) AS keys
  FROM account
 WHERE account_id = $1::bigint
