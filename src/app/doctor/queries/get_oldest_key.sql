SELECT min(created_at) AS created_at FROM api_key WHERE revoked_at IS NULL
