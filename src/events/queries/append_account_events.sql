-- timeout: 4000ms
-- Appends events of many accounts, numbered in the order given. None of them changes the row of a contact.
INSERT INTO event (account_id, uid, lane, contact_id, subject, kind, format, occurred_at, trigger, hops, cause_uid, source,
                   payload)
SELECT account_id, uid, lane, contact_id, subject, kind, 1, occurred_at, trigger, hops, cause_uid, source, payload
  FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[], $5::text[], $6::text[], $7::timestamptz[], $8::text[],
              $9::smallint[], $10::uuid[], $11::text[], $12::jsonb[])
       WITH ORDINALITY
    AS new (account_id, uid, lane, contact_id, subject, kind, occurred_at, trigger, hops, cause_uid, source, payload,
            ordinal)
 ORDER BY ordinal
