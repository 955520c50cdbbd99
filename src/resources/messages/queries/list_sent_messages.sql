-- timeout: 4000ms
-- Lists the sent marketing messages that count towards the caps of these contacts, oldest first.
SELECT m.account_id, m.contact_id, m.ended_at
  FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)
 CROSS JOIN LATERAL (SELECT x.account_id, x.contact_id, x.ended_at FROM message x
                      WHERE x.account_id = n.account_id AND x.contact_id = n.contact_id AND x.class = 'marketing'
                        AND x.state IN ('sent', 'unknown') AND x.ended_at > transaction_timestamp() - interval '7 days'
                        AND x.message_id >= first_uuid_of(transaction_timestamp() - interval '40 days')
                     OFFSET 0) m
 ORDER BY m.ended_at
