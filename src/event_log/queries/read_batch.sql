-- timeout: 5000ms
-- One page of a batch, by id: the ids in ($6, $10], of which those above $13 are new since the earlier tick. A page
-- costs as much as these ids, however large the batch is. It has three parts:
-- 1. New ids, by the index on id; xid8cmp keeps the planner from the index on xid. In the last batch of an epoch ($14)
--    all of them belong to the batch.
-- 2. Ids that were drawn before the earlier tick by transactions that got their number after it. There are hardly any,
--    and only the first page looks for them: it scans the index on (xid, id) without reading events.
-- 3. Transactions that were in flight at the earlier tick.
-- Each bit of $7 is a group of lanes: an array lookup would cost half of the query's time. Returns at most $11 bytes of
-- payloads, plus the event that exceeds them; compressed payloads count with the size that is sent. With $12, only
-- accounts of that reader, and of those the kinds that they ask for: a lateral subquery with a limit, because PostgreSQL
-- may hash all accounts for IN or EXISTS, and remembers the answers of a lateral one (Memoize).
SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at, triggers, hops,
       payload, bytes
  FROM (SELECT sized.*, sum(size) OVER (ORDER BY id ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT page.*,
                       CASE WHEN payload IS NULL THEN 0
                            WHEN pg_column_compression(payload) IS NULL THEN pg_column_size(payload)
                            ELSE octet_length(payload::text)
                        END AS size
                  FROM (SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at,
                               received_at, trigger AS triggers, hops, CASE WHEN $9::boolean THEN payload END AS payload
                          FROM ((SELECT event.* FROM event
                                   LEFT JOIN LATERAL
                                        (SELECT true AS is_asked_for FROM reader_account r
                                          WHERE $12::text IS NOT NULL AND r.reader = $12::text
                                            AND r.account_id = event.account_id
                                            AND (r.kinds IS NULL OR event.kind = ANY (r.kinds)) LIMIT 1) reader ON true
                                  WHERE id > greatest($6::bigint, $13::bigint) AND id <= $10::bigint
                                    AND ($14::boolean OR (xid8cmp(xid, $1::xid8) >= 0 AND xid8cmp(xid, $2::xid8) < 0
                                                          AND xid <> ALL ($3::xid8[])))
                                    AND received_at >= $5::timestamptz
                                    AND (1::bigint << (lane >> 4)) & $7::bigint <> 0
                                    AND ($12::text IS NULL OR is_asked_for)
                                  ORDER BY id LIMIT $8::bigint)
                                UNION ALL
                                SELECT *
                                  FROM (SELECT * FROM event
                                         WHERE $6::bigint < $13::bigint AND xid >= $1::xid8 AND xid < $2::xid8
                                           AND xid <> ALL ($3::xid8[])
                                           AND id > $6::bigint AND id <= least($13::bigint, $10::bigint)
                                        UNION ALL
                                        SELECT event.*
                                          FROM unnest($4::xid8[]) AS late (xid)
                                         CROSS JOIN LATERAL
                                               (SELECT * FROM event
                                                 WHERE event.xid = late.xid AND received_at >= $5::timestamptz
                                                   AND id > $6::bigint
                                                   AND id <= CASE WHEN $14::boolean THEN least($13::bigint, $10::bigint)
                                                                  ELSE $10::bigint END
                                                OFFSET 0) event) older
                                 WHERE received_at >= $5::timestamptz
                                   AND (1::bigint << (lane >> 4)) & $7::bigint <> 0
                                   AND ($12::text IS NULL
                                        OR (SELECT true FROM reader_account r
                                             WHERE r.reader = $12::text AND r.account_id = older.account_id
                                               AND (r.kinds IS NULL OR older.kind = ANY (r.kinds)) LIMIT 1))
                               ) batch
                         ORDER BY id
                         LIMIT $8::bigint) page) sized) measured
 WHERE bytes - size < $11::bigint
 ORDER BY id
