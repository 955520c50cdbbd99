-- timeout: 4000ms
-- Endpoints whose next due time has come, within the last $1 seconds.
SELECT q.account_id, q.webhook_id, q.next_due_at, w.failing_since IS NOT NULL AND w.state <> 'disabled' AS failing
  FROM webhook_queue q
  JOIN webhook w USING (account_id, webhook_id)
 WHERE q.next_due_at <= transaction_timestamp()
   AND q.next_due_at > transaction_timestamp() - make_interval(secs => $1::double precision)
