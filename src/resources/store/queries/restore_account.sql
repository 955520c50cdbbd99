UPDATE account a
   SET state = a.state_on_restore, state_on_restore = NULL, delete_at = NULL, deletion_step_at = NULL,
       version = a.version + 1, updated_at = transaction_timestamp()
 WHERE (a.account_id = $1::bigint OR a.live_account_id = $1::bigint)
   AND EXISTS (SELECT FROM account l
                WHERE l.account_id = $1::bigint AND l.live_account_id IS NULL AND l.delete_at > transaction_timestamp())
   AND NOT EXISTS (SELECT FROM account b
                    WHERE (b.account_id = $1::bigint OR b.live_account_id = $1::bigint) AND b.deletion_began_at IS NOT NULL)
RETURNING account_id
