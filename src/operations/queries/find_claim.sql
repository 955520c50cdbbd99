-- Looks up one hash, or none if $2 is null. It reads at most one partition.
SELECT transaction_timestamp() AS now, c.key_hash, c.request_hash, c.answer
  FROM (SELECT) AS always
  LEFT JOIN claim c ON c.account_id = $1::bigint AND c.kind = 'answer' AND c.key_hash = $2::bytea
                   AND c.made_at > transaction_timestamp() - interval '7 days'
