SELECT workflows_using($1::bigint, $2, NULL, NULL, NULL) AS used_by
