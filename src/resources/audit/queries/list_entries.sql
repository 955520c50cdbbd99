-- order: [newest|oldest]
SELECT audit_id, at, actor, actor_id, operation, object, members, request_id, address
  FROM audit
 WHERE account_id = $1::bigint AND audit_id > $2::uuid AND audit_id < $3::uuid
   AND ($4::text IS NULL OR actor = $4 OR actor_id::text = $4)
   AND ($5::text IS NULL OR operation = $5)
   AND ($6::text IS NULL OR object = $6 OR starts_with(object, $6 || '/'))
 ORDER BY audit_id [DESC|ASC]
 LIMIT $7::bigint
