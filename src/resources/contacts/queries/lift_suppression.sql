DELETE FROM suppression
 WHERE account_id = $1::bigint AND channel = $2 AND address_hash = $3::bytea AND reason = 'unsubscribed'
