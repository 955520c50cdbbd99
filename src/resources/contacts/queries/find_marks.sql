SELECT channel, address_hash AS hash, reason, at FROM suppression
 WHERE account_id = $1::bigint AND channel IN ('email', 'sms') AND address_hash = ANY ($2::bytea[])
UNION ALL
SELECT 'erasure', identifier_hash, '', erased_at FROM erasure
 WHERE account_id = $1::bigint AND identifier_hash = ANY ($2::bytea[])
   AND erased_at > transaction_timestamp() - interval '30 days'
