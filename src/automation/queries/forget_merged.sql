-- timeout: 4000ms
-- The other contact adopts the enrolments.
DELETE FROM enrolment e USING unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)
 WHERE e.account_id = n.account_id AND e.contact_id = n.contact_id
