-- timeout: 4000ms
-- The step has read the rows, so any other row with the same key is an error.
WITH written AS (
  INSERT INTO enrolment AS e (account_id, contact_id, workflow_id, key, lane, run_id, started_at, ended_at, seen)
  SELECT account_id, contact_id, workflow_id, key, lane, run_id, started_at, ended_at, seen
    FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $5::smallint[], $6::uuid[], $7::timestamptz[],
                $8::timestamptz[], $9::text[], $10::uuid[])
         AS n (account_id, contact_id, workflow_id, key, lane, run_id, started_at, ended_at, seen, replaces)
   WHERE n.replaces IS NULL
  RETURNING 1
), replaced AS (
  UPDATE enrolment e
     SET run_id = n.run_id, started_at = n.started_at, ended_at = n.ended_at, seen = n.seen
    FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::text[], $6::uuid[], $7::timestamptz[], $8::timestamptz[],
                $9::text[], $10::uuid[])
         AS n (account_id, contact_id, workflow_id, key, run_id, started_at, ended_at, seen, replaces)
   WHERE n.replaces IS NOT NULL AND e.account_id = n.account_id AND e.contact_id = n.contact_id
     AND e.workflow_id = n.workflow_id AND e.key = n.key AND e.run_id = n.replaces
  RETURNING 1
)
SELECT require((SELECT count(*) FROM written) + (SELECT count(*) FROM replaced) = cardinality($1::bigint[]), 'SB001',
               'an enrolment has changed meanwhile')
