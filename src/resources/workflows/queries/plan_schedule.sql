-- The schedule is planned at once, and every minute from then on: new contacts may have new time zones.
INSERT INTO workflow_schedule (account_id, workflow_id, zone, version, next_at, baseline)
VALUES ($1::bigint, $2::uuid, '+', $3::integer, transaction_timestamp(), false)
ON CONFLICT (account_id, workflow_id, zone) DO UPDATE
   SET version = excluded.version, next_at = excluded.next_at
