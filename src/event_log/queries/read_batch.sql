-- timeout: 5000ms
-- Those that began between the two ticks, then those that the earlier one saw under way: by the index of transactions,
-- so that what is read is what is new, however long somebody's transaction has been open. `id + 0` keeps the planner
-- from any other index, and that the late ones are looked up one by one from reading more for none of them. Each bit of
-- $7 is a group of lanes: to look for it in an array would be half the work. No more than $11 bytes of payloads, and the
-- one that passes them: what PostgreSQL has compressed is measured as it will be sent. With $12, of that reader's
-- accounts only.
SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at, triggers, payload,
       bytes
  FROM (SELECT sized.*, sum(size) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT page.*,
                       CASE WHEN payload IS NULL THEN 0
                            WHEN pg_column_compression(payload) IS NULL THEN pg_column_size(payload)
                            ELSE octet_length(payload::text)
                        END AS size
                  FROM (SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at,
                               received_at, trigger AS triggers, CASE WHEN $9::boolean THEN payload END AS payload
                          FROM event
                         WHERE xid >= $1::xid8 AND xid < $2::xid8 AND xid <> ALL ($3::xid8[])
                           AND received_at >= $5::timestamptz AND id + 0 > $6::bigint AND id + 0 <= $10::bigint
                           AND (1::bigint << (lane >> 4)) & $7::bigint <> 0
                           AND ($12::text IS NULL OR account_id IN (SELECT accounts_of_reader($12::text)))
                        UNION ALL
                        SELECT its.*
                          FROM unnest($4::xid8[]) AS late (xid)
                         CROSS JOIN LATERAL (SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind,
                                                    occurred_at, received_at, trigger, CASE WHEN $9::boolean THEN payload END
                                               FROM event
                                              WHERE event.xid = late.xid AND received_at >= $5::timestamptz
                                                AND id + 0 > $6::bigint AND id + 0 <= $10::bigint
                                                AND (1::bigint << (lane >> 4)) & $7::bigint <> 0
                                                AND ($12::text IS NULL
                                                     OR account_id IN (SELECT accounts_of_reader($12::text)))
                                              ORDER BY id
                                              LIMIT $8::bigint) its
                         ORDER BY id
                         LIMIT $8::bigint) page) sized) measured
 WHERE bytes - size < $11::bigint
 ORDER BY id
