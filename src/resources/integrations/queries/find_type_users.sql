-- Lists the workflows that use an event type, or any event type of an integration.
SELECT coalesce(json_agg(json_build_object('id', w.workflow_id, 'name', w.name) ORDER BY w.workflow_id), '[]') AS used_by
  FROM workflow w
 WHERE w.account_id = $1::bigint
   AND w.workflow_id IN (SELECT r.workflow_id
                           FROM event_type t
                           JOIN workflow_reference r ON r.account_id = $1::bigint AND r.event_type_id = t.event_type_id
                          WHERE t.account_id = $1::bigint
                            AND (t.event_type_id = $2::uuid OR t.alias = $3 OR t.integration_id = $4::uuid))
