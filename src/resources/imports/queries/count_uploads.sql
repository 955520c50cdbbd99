-- Counts uploads in progress: files that no job owns yet.
SELECT count(*) AS uploads FROM stored_file f
 WHERE f.account_id = $1::bigint AND f.remove_at > transaction_timestamp()
   AND NOT EXISTS (SELECT FROM job j WHERE j.account_id = $1::bigint AND j.job_id = f.job_id)
