-- transactional
-- Workflows that were published before workflows ran: from now on events and schedules start their runs, as if they
-- were published today.
INSERT INTO engine_interest (account_id, version, kinds)
SELECT w.account_id, 1, array_agg(DISTINCT k.kind ORDER BY k.kind)
  FROM workflow w
  JOIN workflow_version v
    ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id AND v.version = w.active_version
 CROSS JOIN LATERAL
       (SELECT named #>> '{}' FROM jsonb_path_query(v.definition::jsonb, '$.**.event ? (@.type() == "string")') AS named
        UNION
        SELECT unnest(ARRAY['adopt', 'contact.deleted', 'contact.updated', 'delivery-ended', 'forward', 'handover',
                            'message.failed', 'message.sent', 'message.skipped', 'message.suppressed',
                            'message.unknown', 'run-command', 'schedule-start', 'wake', 'wake-more'])) AS k (kind)
 WHERE w.status IN ('active', 'paused')
 GROUP BY w.account_id
ON CONFLICT (account_id) DO NOTHING;

INSERT INTO workflow_schedule (account_id, workflow_id, zone, version, next_at, baseline)
SELECT w.account_id, w.workflow_id, '+', w.active_version, transaction_timestamp(), false
  FROM workflow w
  JOIN workflow_version v
    ON v.account_id = w.account_id AND v.workflow_id = w.workflow_id AND v.version = w.active_version
 WHERE w.status IN ('active', 'paused') AND v.definition #> '{trigger,schedule}' IS NOT NULL
ON CONFLICT DO NOTHING;
