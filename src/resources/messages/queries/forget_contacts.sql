-- timeout: 4000ms
-- Ends the planned messages of erased contacts. The rows stay for the sums, without their contact.
UPDATE message m
   SET contact_id = NULL, due_at = NULL,
       ended_at = coalesce(m.ended_at, transaction_timestamp()),
       reason = CASE WHEN m.state = 'planned' THEN 'erased' ELSE m.reason END,
       state = CASE WHEN m.state = 'planned' THEN 'skipped' ELSE m.state END
  FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)
 WHERE m.account_id = n.account_id AND m.contact_id = n.contact_id
