-- timeout: 4000ms
-- Counts due deliveries of some endpoints that are not in flight, up to a limit per endpoint, and the age of the oldest.
SELECT coalesce(sum(d.count), 0)::bigint AS deliveries,
       coalesce(extract(epoch FROM transaction_timestamp() - min(d.oldest)), 0)::text AS seconds
  FROM unnest($1::bigint[], $2::uuid[], $3::timestamptz[]) AS e (account_id, webhook_id, since)
  JOIN webhook w USING (account_id, webhook_id)
  JOIN account a ON a.account_id = e.account_id AND a.state = 'active'
 CROSS JOIN LATERAL
       (SELECT count(*) AS count, min(x.due_at) AS oldest
          FROM (SELECT due_at FROM webhook_delivery
                 WHERE account_id = e.account_id AND webhook_id = e.webhook_id AND state = 'due'
                   AND due_at >= e.since AND due_at <= transaction_timestamp()
                 ORDER BY due_at LIMIT $4::bigint) x) d
 WHERE w.state = 'enabled' AND (w.rests_until IS NULL OR w.rests_until <= transaction_timestamp())
