SELECT k.key_id, k.name, k.hint, k.scopes, k.created_at, k.expires_at, k.revoked_at IS NOT NULL AS revoked,
       u.last_used_at
  FROM api_key k
  LEFT JOIN key_use u USING (account_id, key_id)
 WHERE k.account_id = $1::bigint
 ORDER BY k.key_id
