-- As list_newest_history, the other way round.
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
     ORDER BY received_at, id
     LIMIT (SELECT $9::bigint)
  ) e
 ORDER BY e.received_at, e.id
 LIMIT (SELECT $9::bigint)
