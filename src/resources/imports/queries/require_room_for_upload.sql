SELECT require((SELECT count(*) FROM job WHERE account_id = $1::bigint AND kind = $2 AND state IN ('queued', 'inProgress')) +
               (SELECT count(*) FROM stored_file f
                 WHERE f.account_id = $1::bigint AND f.remove_at > transaction_timestamp()
                   AND NOT EXISTS (SELECT FROM job j WHERE j.account_id = $1::bigint AND j.job_id = f.job_id))
               < $3::bigint, 'SB004', 'as many imports are under way as there may be')
