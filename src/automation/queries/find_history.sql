-- timeout: 4000ms
-- Past events of contacts, by question, newest first: those that precede the question's input. The history of a contact
-- has the events of the contacts that were merged into it.
SELECT q.question, e.uid, e.kind, e.occurred_at, e.received_at, e.payload
  FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::timestamptz[], $5::bigint[], $6::bigint[], $7::bigint[])
       WITH ORDINALITY AS q (account_id, contact_id, kind, since, tick, through, before_id, question)
 CROSS JOIN LATERAL
       (SELECT h.* FROM event h
         WHERE h.account_id = q.account_id AND h.received_at >= q.since AND h.kind = q.kind
           AND h.contact_id IN (SELECT q.contact_id
                                UNION ALL
                                SELECT m.contact_id FROM merged_contact m
                                 WHERE m.account_id = q.account_id AND m.into_id = q.contact_id)
           AND (pg_visible_in_snapshot(h.xid, (SELECT shows FROM log_tick WHERE tick = q.tick))
                OR (h.id <= q.before_id
                    AND pg_visible_in_snapshot(h.xid, (SELECT shows FROM log_tick WHERE tick = q.through))))
         ORDER BY h.received_at DESC, h.id DESC
         LIMIT 2000) e
 ORDER BY q.question, e.received_at, e.id
