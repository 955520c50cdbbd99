-- order: [newest|oldest]
SELECT k.key_id, k.name, k.scopes, k.expires_at, k.allowed_addresses, k.requests_per_second, k.request_burst, k.hint,
       u.last_used_at, coalesce(u.deprecated_requests, 0) AS deprecated_requests, k.created_at, k.updated_at, k.version
  FROM api_key k
  LEFT JOIN key_use u USING (account_id, key_id)
 WHERE k.account_id = $1::bigint AND k.revoked_at IS NULL
   AND ($2::uuid IS NULL OR k.key_id [<|>] $2::uuid)
 ORDER BY k.key_id [DESC|ASC]
 LIMIT $3::bigint
