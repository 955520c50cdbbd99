-- timeout: 4000ms
-- Skips locked rows: their lease expires without a release.
UPDATE webhook_delivery d
   SET sender = NULL, attempts = d.attempts - 1, due_at = transaction_timestamp()
 WHERE d.ctid = ANY (ARRAY (
   SELECT x.ctid FROM unnest($1::bigint[], $2::uuid[], $3::bigint[], $4::uuid[]) AS o (account_id, webhook_id, id, sender)
    CROSS JOIN LATERAL (SELECT y.ctid FROM webhook_delivery y
                         WHERE y.account_id = o.account_id AND y.webhook_id = o.webhook_id AND y.id = o.id
                           AND y.sender = o.sender
                           FOR UPDATE SKIP LOCKED) x))
