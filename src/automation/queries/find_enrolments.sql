-- timeout: 4000ms
-- The newest enrolments of contacts in workflows.
SELECT e.*
  FROM unnest($1::bigint[], $2::uuid[], $3::uuid[]) AS n (account_id, contact_id, workflow_id)
 CROSS JOIN LATERAL (SELECT * FROM enrolment
                      WHERE account_id = n.account_id AND contact_id = n.contact_id AND workflow_id = n.workflow_id
                      ORDER BY started_at DESC LIMIT 1000) e
