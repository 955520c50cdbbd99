-- timeout: 4000ms
-- Claims due deliveries within the limits per endpoint and per account. Endpoints take turns, those with fewer
-- deliveries in flight first, so that a slow endpoint delays only itself. $4 and $5, $7 and $8 are the counts in
-- flight.
-- Rows are found again by ctid: a join by key would read all deliveries to find a few.
WITH ready AS (
  SELECT d.place, d.account_id, d.due_at,
         greatest(u.count, 0) + row_number() OVER (PARTITION BY d.account_id, d.webhook_id ORDER BY d.due_at, d.id) AS turn
    FROM endpoints_with_due() e
    JOIN account a ON a.account_id = e.account_id AND a.state = 'active'
   CROSS JOIN LATERAL (SELECT coalesce(sum(b.count), 0)::bigint AS count
                         FROM unnest($4::uuid[], $5::bigint[]) AS b (webhook_id, count)
                        WHERE b.webhook_id = e.webhook_id) u
   CROSS JOIN LATERAL (SELECT x.ctid AS place, x.account_id, x.webhook_id, x.id, x.due_at FROM webhook_delivery x
                        WHERE x.account_id = e.account_id AND x.webhook_id = e.webhook_id AND x.state = 'due'
                          AND x.due_at <= transaction_timestamp()
                        ORDER BY x.due_at
                        LIMIT greatest($6::bigint - u.count, 0)) d
), chosen AS (
  SELECT r.place
    FROM (SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY turn, due_at) AS of_account FROM ready) r
    LEFT JOIN unnest($7::bigint[], $8::bigint[]) AS busy (account_id, count) ON busy.account_id = r.account_id
   WHERE r.of_account <= $9::bigint - coalesce(busy.count, 0)
   ORDER BY r.turn, r.due_at
   LIMIT $3::bigint
), free AS (
  SELECT d.ctid AS place
    FROM webhook_delivery d
   WHERE d.ctid = ANY (ARRAY (SELECT place FROM chosen)) AND d.state = 'due' AND d.due_at <= transaction_timestamp()
     FOR UPDATE OF d SKIP LOCKED
), taken AS (
  UPDATE webhook_delivery d
     SET sender = $1::uuid, attempts = d.attempts + 1,
         due_at = transaction_timestamp() + make_interval(secs => $2::integer)
   WHERE d.ctid = ANY (ARRAY (SELECT place FROM free))
  RETURNING d.account_id, d.webhook_id, d.id, d.event_uid, d.event_id, d.received_at, d.kind, d.contact_id, d.sequence,
            d.attempts
)
SELECT t.account_id, t.webhook_id, t.id, t.event_uid, t.received_at, t.kind, t.sequence, t.attempts,
       w.url, w.headers::text AS headers, w.signing_secret,
       CASE WHEN w.previous_valid_until > transaction_timestamp() THEN w.previous_signing_secret END AS previous_secret,
       a.id AS store_id, e.contact_id, e.subject, e.occurred_at, e.payload
  FROM taken t
  JOIN webhook w USING (account_id, webhook_id)
  JOIN account a USING (account_id)
  LEFT JOIN event e ON e.account_id = t.account_id AND e.received_at = t.received_at AND e.id = t.event_id
