-- timeout: 10000ms
SELECT k.account_id, k.key_id, k.name, u.last_used_at, count(*) OVER () AS count
  FROM api_key k
  LEFT JOIN key_use u USING (account_id, key_id)
 WHERE k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > transaction_timestamp())
   AND (k.ring_key IS NULL OR k.ring_key = $1::integer)
 ORDER BY k.account_id, k.key_id
 LIMIT $2::bigint
