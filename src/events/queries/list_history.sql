-- order: [newest|oldest]
-- The [newest|oldest] events of each contact and kind, then of all. The limit is inside a SELECT so that the planner
-- expects few rows and walks the months in index order. With a plain limit the planner would read and sort all events
-- of the contact. The row comparisons position the page; only the plain comparisons prune partitions.
SELECT e.uid, e.kind, e.occurred_at, e.received_at, e.id, e.contact_id, e.payload
  FROM unnest($2::uuid[]) AS contact (id)
 CROSS JOIN unnest($3::text[], $4::text[]) AS wanted (first_kind, last_kind)
 CROSS JOIN LATERAL (
    SELECT uid, kind, occurred_at, received_at, id, contact_id, payload FROM event
     WHERE account_id = $1::bigint AND contact_id = contact.id
       AND received_at >= CASE WHEN $5::timestamptz IS NULL THEN '-infinity' ELSE $5::timestamptz END
       AND received_at <= CASE WHEN $7::timestamptz IS NULL THEN 'infinity' ELSE $7::timestamptz END
       AND (received_at, id) > (CASE WHEN $5::timestamptz IS NULL THEN '-infinity' ELSE $5::timestamptz END, $6::bigint)
       AND (received_at, id) < (CASE WHEN $7::timestamptz IS NULL THEN 'infinity' ELSE $7::timestamptz END, $8::bigint)
       AND kind >= wanted.first_kind AND kind <= wanted.last_kind AND kind LIKE '%.%'
     ORDER BY received_at [DESC|ASC], id [DESC|ASC]
     LIMIT (SELECT $9::bigint)
  ) e
 ORDER BY e.received_at [DESC|ASC], e.id [DESC|ASC]
 LIMIT (SELECT $9::bigint)
