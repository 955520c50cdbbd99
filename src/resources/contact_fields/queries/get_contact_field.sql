SELECT id, number, name, type, indexed, required, default_value, options, max_length, min, max, version, created_at, updated_at
  FROM contact_field
 WHERE account_id = $1::bigint AND id = $2
