-- order: [newest|oldest]
SELECT id, number, name, type, indexed, required, default_value, options, max_length, min, max, version, created_at, updated_at
  FROM contact_field
 WHERE account_id = $1::bigint
   AND ($2::bigint IS NULL OR number [<|>] $2::bigint)
   AND ($3::text IS NULL OR type = $3)
   AND ($4::timestamptz IS NULL OR created_at > $4::timestamptz)
   AND ($5::timestamptz IS NULL OR created_at < $5::timestamptz)
 ORDER BY number [DESC|ASC]
 LIMIT $6::bigint
