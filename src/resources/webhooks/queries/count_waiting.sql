-- Counts due deliveries that are not in flight, up to a limit per endpoint, and returns the age of the oldest.
SELECT coalesce(sum(d.count), 0)::bigint AS deliveries,
       coalesce(extract(epoch FROM transaction_timestamp() - min(d.oldest)), 0)::text AS seconds
  FROM endpoints_with_due() e
  JOIN account a ON a.account_id = e.account_id AND a.state = 'active'
 CROSS JOIN LATERAL
       (SELECT count(*) AS count, min(x.due_at) AS oldest
          FROM (SELECT due_at FROM webhook_delivery
                 WHERE account_id = e.account_id AND webhook_id = e.webhook_id AND state = 'due'
                   AND due_at <= transaction_timestamp()
                 ORDER BY due_at LIMIT $1::bigint) x) d
