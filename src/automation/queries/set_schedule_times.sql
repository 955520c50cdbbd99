-- timeout: 4000ms
-- Sets the next times of a workflow's schedule by zone; infinity: never again.
INSERT INTO workflow_schedule AS s (account_id, workflow_id, zone, version, next_at, baseline)
SELECT $1::bigint, $2::uuid, n.zone, $3::integer, coalesce(n.next_at, 'infinity'), n.baseline
  FROM unnest($4::text[], $5::timestamptz[], $6::boolean[]) AS n (zone, next_at, baseline)
ON CONFLICT (account_id, workflow_id, zone) DO UPDATE
   SET version = excluded.version, next_at = excluded.next_at, baseline = excluded.baseline, walked_to = NULL
