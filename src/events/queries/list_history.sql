-- The newest of each contact, then of all. The limit hides behind SELECT so that the planner expects few rows and walks
-- the months one by one in the index's order: told the number, it takes all events of the contact and sorts them.
-- The row comparison places the page; only the plain one lets later months be left out.
SELECT e.uid, e.kind, e.occurred_at, e.received_at, e.id, e.contact_id, e.payload
  FROM unnest($2::uuid[]) AS contact (id) CROSS JOIN LATERAL (
    SELECT uid, kind, occurred_at, received_at, id, contact_id, payload FROM event
     WHERE account_id = $1::bigint AND contact_id = contact.id
       AND received_at <= CASE WHEN $3::timestamptz IS NULL THEN 'infinity' ELSE $3::timestamptz END
       AND (received_at, id) < (CASE WHEN $3::timestamptz IS NULL THEN 'infinity' ELSE $3::timestamptz END,
                                CASE WHEN $4::bigint IS NULL THEN 0 ELSE $4::bigint END)
     ORDER BY received_at DESC, id DESC
     LIMIT (SELECT $5::bigint)
  ) e
 ORDER BY e.received_at DESC, e.id DESC
 LIMIT (SELECT $5::bigint)
