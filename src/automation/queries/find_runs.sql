-- timeout: 4000ms
SELECT r.*
  FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)
 CROSS JOIN LATERAL (SELECT account_id, contact_id, run_id, seq, lane, workflow_id, version, state, node, key,
                            enrolment_key, started_at, node_since, due_at, timer_at, visits, trigger_at, trigger_id,
                            trigger_data, schedule_date, message_id, delivery_id, has_sent, converted, data, seen, why
                       FROM run WHERE account_id = n.account_id AND contact_id = n.contact_id OFFSET 0) r
