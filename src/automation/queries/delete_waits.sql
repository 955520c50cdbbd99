-- timeout: 4000ms
DELETE FROM subject_wait w
 USING unnest($1::bigint[], $2::text[], $3::timestamptz[], $4::uuid[]) AS n (account_id, subject, since, run_id)
 WHERE w.account_id = n.account_id AND w.subject = n.subject AND w.since = n.since AND w.run_id = n.run_id
