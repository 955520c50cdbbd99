SELECT count(*) AS fields, count(*) FILTER (WHERE indexed) AS indexed
  FROM contact_field
 WHERE account_id = $1::bigint
