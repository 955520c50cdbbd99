-- timeout: 4000ms
-- The contact that others were merged into adopts their enrolments by an event of its own lane. Their past runs are its own.
WITH n AS (SELECT * FROM unnest($1::bigint[], $2::uuid[], $3::uuid[]) AS n (account_id, contact_id, into_id)),
     moved AS (UPDATE run_history h SET contact_id = n.into_id FROM n
                WHERE h.account_id = n.account_id AND h.contact_id = n.contact_id)
DELETE FROM enrolment e USING n WHERE e.account_id = n.account_id AND e.contact_id = n.contact_id
