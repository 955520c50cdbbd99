-- The address may have become a suppressed one, or the person an erased one, since that was looked for.
SELECT require(
  (SELECT count(*) FROM suppression
    WHERE account_id = $1::bigint AND channel IN ('email', 'sms') AND address_hash = ANY ($2::bytea[]))
  + (SELECT count(*) FROM erasure WHERE account_id = $1::bigint AND identifier_hash = ANY ($2::bytea[])
      AND erased_at > transaction_timestamp() - interval '30 days') <= $3::bigint,
  'SB001', 'the address was suppressed meanwhile')
