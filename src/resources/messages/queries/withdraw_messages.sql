-- timeout: 4000ms
-- Ends planned messages as skipped, with their events. Rows that a claim has locked count as claimed. Returns the
-- numbers of those that ended here.
WITH free AS (
  SELECT m.account_id, m.message_id, n.reason, n.number
    FROM unnest($1::bigint[], $2::uuid[], $3::text[]) WITH ORDINALITY AS n (account_id, message_id, reason, number)
   CROSS JOIN LATERAL (SELECT x.account_id, x.message_id FROM message x
                        WHERE x.account_id = n.account_id AND x.message_id = n.message_id AND x.state = 'planned'
                          FOR UPDATE SKIP LOCKED) m
), ended AS (
  UPDATE message m
     SET state = 'skipped', reason = f.reason, ended_at = transaction_timestamp(), due_at = NULL
    FROM free f
   WHERE m.account_id = f.account_id AND m.message_id = f.message_id
  RETURNING m.account_id, m.message_id, m.contact_id, m.lane, m.workflow_id, m.run_id, m.node, m.template, m.reason, m.hops,
            f.number
), told AS (
  INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
  SELECT account_id, uuid_v7(), lane, contact_id, 'message.skipped', 1, transaction_timestamp(), 'all', hops, 'workflow',
         jsonb_build_object('messageId', message_id, 'runId', run_id, 'workflowId', workflow_id, 'nodeId', node,
                            'template', template, 'reason', reason)
    FROM ended
   ORDER BY number
)
SELECT number FROM ended
