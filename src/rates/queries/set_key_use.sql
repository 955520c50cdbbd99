INSERT INTO key_use AS k (account_id, key_id, last_used_at, deprecated_requests)
SELECT account_id, key_id, transaction_timestamp() - used.age_ms * interval '1 millisecond', used.deprecated
  FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::bigint[]) AS used (account_id, key_id, age_ms, deprecated)
  JOIN api_key USING (account_id, key_id)
 ORDER BY account_id, key_id
ON CONFLICT (account_id, key_id) DO UPDATE
   SET last_used_at = greatest(k.last_used_at, excluded.last_used_at),
       deprecated_requests = k.deprecated_requests + excluded.deprecated_requests
 WHERE k.last_used_at < excluded.last_used_at OR excluded.deprecated_requests > 0
