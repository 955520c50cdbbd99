-- timeout: 12000ms
-- Appends many events, numbered in the order given.
INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops,
                   cause_uid, source, trace, payload)
SELECT $1::bigint, uid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops, cause_uid,
       source, trace, payload
  FROM unnest($2::uuid[], $3::smallint[], $4::uuid[], $5::bigint[], $6::text[], $7::text[], $8::smallint[],
              $9::timestamptz[], $10::text[], $11::smallint[], $12::uuid[], $13::text[], $14::text[], $15::jsonb[])
       WITH ORDINALITY
    AS new (uid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops, cause_uid, source,
            trace, payload, ordinal)
 ORDER BY ordinal
