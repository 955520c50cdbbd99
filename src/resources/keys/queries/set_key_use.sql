INSERT INTO key_use (account_id, key_id, last_used_at)
SELECT account_id, key_id, transaction_timestamp() - used.age_ms * interval '1 millisecond'
  FROM unnest($1::bigint[], $2::uuid[], $3::bigint[]) AS used (account_id, key_id, age_ms)
  JOIN api_key USING (account_id, key_id)
 ORDER BY account_id, key_id
ON CONFLICT (account_id, key_id) DO UPDATE
   SET last_used_at = excluded.last_used_at
 WHERE key_use.last_used_at < excluded.last_used_at
