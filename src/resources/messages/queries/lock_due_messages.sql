-- timeout: 4000ms
-- The due messages of contacts, whose rows are locked; the highest priority first. A run that no longer stands at its
-- message does not want it.
SELECT m.account_id, m.message_id, m.contact_id, m.class, m.skips_at_cap, m.send_rules, m.planned_at,
       m.run_id IS NULL
       OR EXISTS (SELECT FROM run r
                   WHERE r.account_id = m.account_id AND r.contact_id = m.contact_id AND r.run_id = m.run_id
                     AND r.message_id = m.message_id) AS is_wanted
  FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)
 CROSS JOIN LATERAL (SELECT * FROM message x
                      WHERE x.account_id = n.account_id AND x.contact_id = n.contact_id AND x.state = 'planned'
                        AND x.due_at <= transaction_timestamp()
                        -- Pending messages are at most two weeks old, so two partitions have them.
                        AND x.message_id >= first_uuid_of(transaction_timestamp() - interval '40 days')
                        FOR UPDATE SKIP LOCKED) m
 ORDER BY m.account_id, m.contact_id, m.priority DESC, m.due_at, m.message_id
