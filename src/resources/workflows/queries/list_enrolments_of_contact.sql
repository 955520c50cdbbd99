-- Looks at 1,000 enrolments of the contact in the workflow at most.
SELECT started_at, ended_at
  FROM (SELECT started_at, ended_at FROM enrolment
         WHERE account_id = $1::bigint AND contact_id = $2::uuid AND workflow_id = $3::uuid
         LIMIT 1000) e
 ORDER BY started_at DESC
 LIMIT 20
