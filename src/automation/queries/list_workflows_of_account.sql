-- timeout: 4000ms
-- The workflows that an account has published.
SELECT w.workflow_id, w.status, w.active_version, w.activated_at
  FROM workflow w
 WHERE w.account_id = $1::bigint AND w.active_version IS NOT NULL
