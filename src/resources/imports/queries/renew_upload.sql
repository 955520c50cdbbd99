-- Fails once the account is suspended, which ends an upload that began before.
UPDATE stored_file SET remove_at = transaction_timestamp() + make_interval(secs => $3::double precision)
 WHERE account_id = $1::bigint AND name = $2 AND remove_at > transaction_timestamp()
   AND EXISTS (SELECT FROM account WHERE account_id = $1::bigint AND state = 'active')
RETURNING 1
