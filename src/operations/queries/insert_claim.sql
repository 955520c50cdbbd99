WITH claimed AS (
  INSERT INTO claim (account_id, kind, key_hash, request_hash, answer)
  VALUES ($1::bigint, 'answer', $2::bytea, $3::bytea, $4::bytea)
  ON CONFLICT (account_id, kind, key_hash) DO UPDATE
     SET request_hash = excluded.request_hash, answer = excluded.answer, made_at = excluded.made_at
   WHERE claim.made_at <= transaction_timestamp() - interval '7 days'
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM claimed), 'SB001', 'another request has taken the idempotency key')
