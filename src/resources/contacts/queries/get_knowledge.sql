SELECT transaction_timestamp() AS now, country, currency,
       (SELECT version FROM contact_field_counter WHERE account_id = $1::bigint) AS fields_version
  FROM account
 WHERE account_id = $1::bigint
