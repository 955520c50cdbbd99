-- timeout: 5000ms
-- Reads events of transactions that began between the two ticks, then of those that were in flight at the earlier tick.
-- Both use the index on xid, so that only new events are read, however long a transaction has been open. `id + 0` keeps
-- the planner from other indexes. Late transactions are looked up one by one, so that nothing is read if there are
-- none. Each bit of $7 is a group of lanes: an array lookup would cost half of the query's time. Returns at most $11
-- bytes of payloads, plus the event that exceeds them; compressed payloads count with the size that is sent. With $12,
-- only events of accounts of that reader are read.
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
