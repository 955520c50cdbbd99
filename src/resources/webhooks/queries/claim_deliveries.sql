-- timeout: 4000ms
-- Claims due deliveries of these endpoints ($4 to $7), within the limits per endpoint and per account. Accounts with
-- fewer deliveries in flight come first, and inside an account endpoints with fewer: a backlog or a slow endpoint delays
-- only itself. Among equals the order of the endpoints decides. $7 and $10 are the counts in flight. Nothing of an
-- endpoint is due before $6, where dead rows of earlier deliveries may lie. Endpoints of suspended accounts wait.
-- Deliveries to a disabled endpoint of an event type are claimed too, and end without an attempt: a run waits for each.
-- Rows are found again by ctid: a join by key would read all deliveries to find a few.
WITH ready AS (
  SELECT d.place, d.account_id, d.webhook_id, d.due_at, e.number,
         greatest(e.count, 0) + row_number() OVER (PARTITION BY d.account_id, d.webhook_id ORDER BY d.due_at, d.id) AS turn
    FROM unnest($4::bigint[], $5::uuid[], $6::timestamptz[], $7::bigint[]) WITH ORDINALITY
      AS e (account_id, webhook_id, since, count, number)
   CROSS JOIN LATERAL (SELECT FROM webhook w JOIN account a USING (account_id)
                        WHERE w.account_id = e.account_id AND w.webhook_id = e.webhook_id AND a.state = 'active'
                          AND (w.state = 'enabled'
                               AND (w.rests_until IS NULL OR w.rests_until <= transaction_timestamp())
                               OR w.state = 'disabled' AND w.event_type IS NOT NULL)
                       OFFSET 0) w
   CROSS JOIN LATERAL (SELECT x.ctid AS place, x.account_id, x.webhook_id, x.id, x.due_at FROM webhook_delivery x
                        WHERE x.account_id = e.account_id AND x.webhook_id = e.webhook_id AND x.state = 'due'
                          AND x.due_at >= e.since AND x.due_at <= transaction_timestamp()
                        ORDER BY x.due_at
                        LIMIT greatest($8::bigint - e.count, 0)) d
), chosen AS (
  SELECT r.place, r.webhook_id, r.due_at
    FROM (SELECT *, row_number() OVER (PARTITION BY account_id ORDER BY turn, number) AS of_account FROM ready) r
    LEFT JOIN unnest($9::bigint[], $10::bigint[]) AS busy (account_id, count) ON busy.account_id = r.account_id
   WHERE r.of_account <= $11::bigint - coalesce(busy.count, 0)
   ORDER BY greatest(coalesce(busy.count, 0), 0) + r.of_account, r.turn, r.number
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
       c.claimed_through, w.event_type, w.state = 'enabled' AS is_enabled, w.url, w.headers::text AS headers,
       w.signing_secret,
       CASE WHEN w.previous_valid_until > transaction_timestamp() THEN w.previous_signing_secret END AS previous_secret,
       a.id AS store_id, e.contact_id, e.subject, e.occurred_at, e.payload
  FROM taken t
  JOIN (SELECT webhook_id, max(due_at) AS claimed_through FROM chosen GROUP BY webhook_id) c USING (webhook_id)
  JOIN webhook w USING (account_id, webhook_id)
  JOIN account a USING (account_id)
  LEFT JOIN event e ON e.account_id = t.account_id AND e.received_at = t.received_at AND e.id = t.event_id
