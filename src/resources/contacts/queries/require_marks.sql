-- The address may have become a suppressed one, or the person an erased one, since that was looked for. Each hash on its
-- own: see find_contacts.
SELECT require(
  (SELECT count(*)
     FROM unnest($2::bytea[]) AS named (hash) CROSS JOIN LATERAL (
       SELECT FROM suppression
        WHERE account_id = $1::bigint AND channel IN ('email', 'sms') AND address_hash = named.hash
       UNION ALL
       SELECT FROM erasure WHERE account_id = $1::bigint AND identifier_hash = named.hash
          AND erased_at > transaction_timestamp() - interval '30 days'
       OFFSET 0) AS mark) <= $3::bigint,
  'SB001', 'the address was suppressed meanwhile')
