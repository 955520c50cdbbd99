WITH marked AS (
  UPDATE account a
     SET state = 'suspended', state_on_restore = a.state, version = a.version + 1, updated_at = transaction_timestamp(),
         delete_at = transaction_timestamp() + make_interval(days => $2::integer),
         deletion_step_at = transaction_timestamp() + make_interval(days => $2::integer)
   WHERE (a.account_id = $1::bigint OR a.live_account_id = $1::bigint) AND a.delete_at IS NULL
     AND EXISTS (SELECT FROM account l WHERE l.account_id = $1::bigint AND l.live_account_id IS NULL)
  RETURNING a.account_id, a.delete_at
)
SELECT delete_at FROM marked WHERE account_id = $1::bigint
