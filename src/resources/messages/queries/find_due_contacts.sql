-- timeout: 4000ms
-- Contacts with due messages, those that wait longest first; none while another process claims. Erased contacts are left
-- out: their messages end when the lane reads the erasure.
SELECT due.account_id, due.contact_id, due.due_at
  FROM (SELECT m.account_id, m.contact_id, min(m.due_at) AS due_at
          FROM (SELECT account_id, contact_id, due_at FROM message
                 WHERE ended_at IS NULL AND due_at >= $2::timestamptz AND due_at <= transaction_timestamp()
                   AND EXISTS (SELECT FROM contact c
                                WHERE c.account_id = message.account_id AND c.contact_id = message.contact_id)
                 ORDER BY due_at
                 LIMIT $1::bigint) m
         GROUP BY 1, 2) due
 WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('claim messages', 0)))
 ORDER BY due.due_at
