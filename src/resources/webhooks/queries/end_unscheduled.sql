-- timeout: 4000ms
-- Ends what workflows send to endpoints that are disabled or do not exist. The scheduled deliveries decide, and not the
-- state of the endpoints: it may change between two statements.
SELECT append_delivery_ended(e.account_id, e.lane, e.contact_id, e.uid, e.hops, false)
  FROM unnest($1::bigint[], $2::uuid[], $3::smallint[], $4::uuid[], $5::uuid[], $6::smallint[])
    AS e (account_id, uid, lane, contact_id, endpoint, hops)
 WHERE NOT EXISTS (SELECT FROM webhook_delivery d
                    WHERE d.account_id = e.account_id AND d.event_uid = e.uid AND d.webhook_id = e.endpoint)
