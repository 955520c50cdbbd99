-- timeout: 4000ms
-- Stores decisions about messages, with an event for each that ended. The caller has locked the rows.
WITH decided AS (
  UPDATE message m
     SET state = d.state, reason = d.reason, due_at = d.due_at,
         ended_at = CASE WHEN d.state <> 'planned' THEN transaction_timestamp() END
    FROM unnest($1::bigint[], $2::uuid[], $3::text[], $4::text[], $5::timestamptz[])
         AS d (account_id, message_id, state, reason, due_at)
   WHERE m.account_id = d.account_id AND m.message_id = d.message_id AND m.state = 'planned'
  RETURNING m.*
)
INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
SELECT account_id, uuid_v7(), lane, contact_id, 'message.' || state, 1, transaction_timestamp(), 'all', hops, 'workflow',
       jsonb_strip_nulls(jsonb_build_object('messageId', message_id, 'runId', run_id, 'workflowId', workflow_id, 'nodeId',
                                            node, 'template', template, 'reason', reason))
  FROM decided
 WHERE state <> 'planned'
 ORDER BY message_id
