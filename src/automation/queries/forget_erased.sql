-- timeout: 4000ms
WITH n AS (SELECT * FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)),
     enrolled AS (DELETE FROM enrolment e USING n WHERE e.account_id = n.account_id AND e.contact_id = n.contact_id),
     past AS (DELETE FROM run_history h USING n WHERE h.account_id = n.account_id AND h.contact_id = n.contact_id),
     gone AS (DELETE FROM run r USING n WHERE r.account_id = n.account_id AND r.contact_id = n.contact_id
              RETURNING r.account_id, r.run_id, r.node_since, r.data),
     waiting AS (SELECT g.account_id, s.subject, g.node_since, g.run_id
                   FROM gone g CROSS JOIN LATERAL json_array_elements_text(g.data -> 'subjects') AS s (subject)
                  WHERE g.data -> 'subjects' IS NOT NULL),
     over AS (DELETE FROM subject_wait w USING waiting x
               WHERE w.account_id = x.account_id AND w.subject = x.subject AND w.since = x.node_since
                 AND w.run_id = x.run_id)
SELECT forget_passed_on(account_id, contact_id) FROM n
