-- timeout: 4000ms
-- Ends enrolments, or adds what their runs have passed since: a run that waits for its goal ends its enrolment before.
UPDATE enrolment e
   SET ended_at = coalesce(e.ended_at, n.ended_at), seen = n.seen
  FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::timestamptz[], $7::text[])
       AS n (account_id, contact_id, workflow_id, key, run_id, ended_at, seen)
 WHERE e.account_id = n.account_id AND e.contact_id = n.contact_id AND e.workflow_id = n.workflow_id AND e.key = n.key
   AND e.run_id = n.run_id
