-- timeout: 5000ms
-- Those that began between the two ticks, then those that the earlier one saw under way: by the index of transactions,
-- so that what is read is what is new, however long somebody's transaction has been open.
SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at, triggers, payload
  FROM (SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at,
               trigger AS triggers, CASE WHEN $9::boolean THEN payload END AS payload
          FROM event
         WHERE xid >= $1::xid8 AND xid < $2::xid8 AND xid <> ALL ($3::xid8[])
           AND received_at >= $5::timestamptz AND id > $6::bigint AND id <= $10::bigint
           AND (lane >> 4) = ANY ($7::smallint[])
        UNION ALL
        SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at,
               trigger, CASE WHEN $9::boolean THEN payload END
          FROM event
         WHERE xid = ANY ($4::xid8[])
           AND received_at >= $5::timestamptz AND id > $6::bigint AND id <= $10::bigint
           AND (lane >> 4) = ANY ($7::smallint[])) batch
 ORDER BY id
 LIMIT $8::bigint
