-- timeout: 4000ms
-- Locks contacts of many accounts without waiting, in the order of their keys. Returns those that it locked.
SELECT c.*, transaction_timestamp() AS now
  FROM (SELECT * FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id) ORDER BY 1, 2) n
 CROSS JOIN LATERAL (SELECT * FROM contact
                      WHERE account_id = n.account_id AND contact_id = n.contact_id
                        FOR NO KEY UPDATE SKIP LOCKED) c
