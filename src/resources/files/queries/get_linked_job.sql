-- `lives` is true if link and file have not expired, and the API key that the link was made for is still valid.
SELECT j.account_id, j.job_id, j.kind, j.type, j.state, j.attempt, j.generation, j.done, j.total, j.options, j.result,
       j.error, j.key_id, j.queued_at, j.updated_at, j.started_at, j.finished_at, j.expires_at,
       a.state = 'active' AND j.state IN ('finished', 'error')
         AND j.expires_at IS NOT NULL AND j.expires_at > transaction_timestamp()
         AND $4::bigint > extract(epoch FROM transaction_timestamp())
         AND k.key_id IS NOT NULL AND k.revoked_at IS NULL
         AND (k.expires_at IS NULL OR k.expires_at > transaction_timestamp()) AS lives,
       coalesce(k.scopes, '{}') AS key_scopes
  FROM job j
  JOIN account a ON a.account_id = j.account_id
  LEFT JOIN api_key k ON k.account_id = j.account_id AND k.key_id = $3::uuid
 WHERE j.account_id = $1::bigint AND j.job_id = $2::uuid
