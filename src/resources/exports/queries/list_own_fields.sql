SELECT id, number, type, CASE WHEN required THEN default_value END AS standard
  FROM contact_field
 WHERE account_id = $1::bigint
 ORDER BY number
