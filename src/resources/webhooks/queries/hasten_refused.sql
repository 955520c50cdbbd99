-- timeout: 4000ms
-- Makes retries to disabled endpoints of event types due now, so that a claim ends them. Endpoints without a next due
-- time have none. Locked rows are skipped.
WITH early AS (
  UPDATE webhook_delivery d SET due_at = transaction_timestamp()
   WHERE d.ctid = ANY (ARRAY (
     SELECT x.place FROM webhook w
       JOIN webhook_queue q USING (account_id, webhook_id)
      CROSS JOIN LATERAL (SELECT y.ctid AS place FROM webhook_delivery y
                           WHERE y.account_id = w.account_id AND y.webhook_id = w.webhook_id AND y.state = 'due'
                             AND y.due_at > transaction_timestamp() AND y.sender IS NULL
                           ORDER BY y.due_at
                           LIMIT $1::bigint
                             FOR UPDATE SKIP LOCKED) x
      WHERE w.event_type IS NOT NULL AND w.state = 'disabled' AND q.next_due_at IS NOT NULL
      LIMIT $1::bigint))
  RETURNING d.account_id, d.webhook_id, d.due_at
)
SELECT count(*) AS count, note_due(array_agg(account_id), array_agg(webhook_id), array_agg(due_at)) FROM early
