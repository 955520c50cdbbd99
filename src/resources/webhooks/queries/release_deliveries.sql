-- timeout: 4000ms
-- Locked rows are skipped: their lease expires by itself.
WITH released AS (
  UPDATE webhook_delivery d
     SET sender = NULL, attempts = d.attempts - 1, due_at = transaction_timestamp()
   WHERE d.ctid = ANY (ARRAY (
     SELECT x.ctid FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::uuid[]) AS o (account_id, webhook_id, id, sender)
      CROSS JOIN LATERAL (SELECT y.ctid FROM webhook_delivery y
                           WHERE y.account_id = o.account_id AND y.webhook_id = o.webhook_id AND y.id = o.id
                             AND y.sender = o.sender
                             FOR UPDATE SKIP LOCKED) x))
  RETURNING d.account_id, d.webhook_id, d.due_at
)
SELECT note_due(array_agg(account_id), array_agg(webhook_id), array_agg(due_at)) FROM released
