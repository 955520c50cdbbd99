-- timeout: 5000ms
-- The rest of an epoch that has ended, in pages of the same size as those of read_batch.
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
                         WHERE (id > $3::bigint OR xid >= $1::xid8 OR xid = ANY ($4::xid8[])) AND id <= $2::bigint
                           AND received_at >= $5::timestamptz AND id > $6::bigint
                           AND (1::bigint << (lane >> 4)) & $7::bigint <> 0
                           AND ($11::text IS NULL OR account_id IN (SELECT accounts_of_reader($11::text)))
                         ORDER BY id
                         LIMIT $8::bigint) page) sized) measured
 WHERE bytes - size < $10::bigint
 ORDER BY id
