-- Used while the keyring has several keys: the claim may be stored under any of their hashes.
SELECT transaction_timestamp() AS now, c.key_hash, c.request_hash, c.answer
  FROM (SELECT) AS always
  LEFT JOIN claim c ON c.account_id = $1::bigint AND c.kind = 'answer' AND c.key_hash = ANY ($2::bytea[])
                   AND c.made_at > transaction_timestamp() - interval '7 days'
