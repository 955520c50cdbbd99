-- Raises a conflict when an address was suppressed or a person erased since the marks were read. Looks up each hash
-- separately, like find_contacts.
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
