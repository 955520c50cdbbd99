INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, subject, kind, format, occurred_at, trigger, hops,
                   cause_uid, source, trace, payload)
VALUES ($1::bigint, $2::uuid, $3::smallint, $4::uuid, $5::bigint, $6, $7, $8::smallint, $9::timestamptz, $10,
        $11::smallint, $12::uuid, $13, $14, $15::jsonb)
