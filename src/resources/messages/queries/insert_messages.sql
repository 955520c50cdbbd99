-- timeout: 4000ms
-- Plans messages, with their events.
WITH new AS (
  SELECT *
    FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::smallint[], $5::boolean[], $6::boolean[], $7::integer[],
                $8::uuid[], $9::uuid[], $10::text[], $11::text[], $12::json[], $13::boolean[], $14::timestamptz[],
                $15::smallint[])
         WITH ORDINALITY
      AS n (account_id, message_id, contact_id, lane, is_marketing, bulk, priority, workflow_id, run_id, node, template,
            send_rules, skips_at_cap, planned_at, hops, ordinal)
), planned AS (
  INSERT INTO message (account_id, message_id, contact_id, lane, class, bulk, priority, workflow_id, run_id, node,
                       template, send_rules, skips_at_cap, planned_at, due_at, hops)
  SELECT account_id, message_id, contact_id, lane, CASE WHEN is_marketing THEN 'marketing' ELSE 'transactional' END, bulk,
         priority, workflow_id, run_id, node, template, send_rules, skips_at_cap, planned_at, planned_at, hops
    FROM new
)
INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
SELECT account_id, uuid_v7(), lane, contact_id, 'message.planned', 1, planned_at, 'all', hops, 'workflow',
       jsonb_build_object('messageId', message_id, 'runId', run_id, 'workflowId', workflow_id, 'nodeId', node,
                          'template', template)
  FROM new
 ORDER BY ordinal
