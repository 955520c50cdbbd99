-- Looks up each hash in its own subquery, for the same reason as find_contacts.
SELECT mark.*
  FROM unnest($2::bytea[]) AS named (hash) CROSS JOIN LATERAL (
    SELECT channel, address_hash AS hash, reason, at FROM suppression
     WHERE account_id = $1::bigint AND channel IN ('email', 'sms') AND address_hash = named.hash
    UNION ALL
    SELECT 'erasure', identifier_hash, '', erased_at FROM erasure
     WHERE account_id = $1::bigint AND identifier_hash = named.hash
       AND erased_at > transaction_timestamp() - interval '30 days'
    OFFSET 0) AS mark
