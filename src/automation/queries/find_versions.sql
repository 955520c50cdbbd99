-- timeout: 4000ms
SELECT i.account_id, i.version AS interest, a.version AS store,
       coalesce((SELECT c.version FROM contact_field_counter c WHERE c.account_id = i.account_id), 0) AS fields
  FROM unnest($1::bigint[]) AS n (account_id)
  JOIN engine_interest i ON i.account_id = n.account_id
  JOIN account a ON a.account_id = n.account_id
