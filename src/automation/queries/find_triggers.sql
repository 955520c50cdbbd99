-- timeout: 4000ms
-- The events that started runs, by question.
SELECT q.question, e.uid, e.kind, e.contact_id, e.occurred_at, e.received_at, e.payload
  FROM unnest($1::bigint[], $2::timestamptz[], $3::bigint[]) WITH ORDINALITY AS q (account_id, received_at, id, question)
  JOIN LATERAL (SELECT * FROM event h
                 WHERE h.account_id = q.account_id AND h.received_at = q.received_at AND h.id = q.id OFFSET 0) e ON true
 ORDER BY q.question
