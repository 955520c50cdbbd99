-- timeout: 4000ms
UPDATE message m SET contact_id = n.into_id, lane = n.lane
  FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::smallint[]) AS n (account_id, contact_id, into_id, lane)
 WHERE m.account_id = n.account_id AND m.contact_id = n.contact_id
