SELECT t.event_type_id, t.integration_id, t.name, t.direction, t.alias, t.fields, t.additional_members, i.events_enabled
  FROM event_type t
  JOIN integration i USING (account_id, integration_id)
 WHERE t.account_id = $1::bigint
 LIMIT $2::bigint
