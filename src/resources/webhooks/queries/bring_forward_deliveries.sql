-- timeout: 4000ms
-- A delivery without an attempt is due from the moment at which it may be sent. So if its time has not come, the clock
-- was set back since. Locked rows are skipped.
WITH early AS (
  UPDATE webhook_delivery d SET due_at = transaction_timestamp()
   WHERE d.ctid = ANY (ARRAY (
     SELECT x.place FROM webhook w
      CROSS JOIN LATERAL (SELECT y.ctid AS place FROM webhook_delivery y
                           WHERE y.account_id = w.account_id AND y.webhook_id = w.webhook_id AND y.state = 'due'
                             AND y.due_at > transaction_timestamp() AND y.attempts = 0
                             FOR UPDATE SKIP LOCKED) x
      WHERE w.state = 'enabled' LIMIT $1::bigint))
  RETURNING d.account_id, d.webhook_id, d.due_at
)
SELECT count(*) AS count, note_due(array_agg(account_id), array_agg(webhook_id), array_agg(due_at)) FROM early
