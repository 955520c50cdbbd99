INSERT INTO contact_field (account_id, id, number, name, type, indexed, required, default_value, options, max_length,
                           min, max, created_at, updated_at)
SELECT $1::bigint, $2, last_number, $3, $4, $5::boolean, $6::boolean, $7::json, $8::json, $9::integer, $10::json,
       $11::json, $12::timestamptz, $12::timestamptz
  FROM contact_field_counter
 WHERE account_id = $1::bigint
