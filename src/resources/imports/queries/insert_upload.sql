-- `job_id` is nobody's until the job is queued.
INSERT INTO stored_file (account_id, name, job_id, remove_at)
VALUES ($1::bigint, $2, $3::uuid, transaction_timestamp() + make_interval(secs => $4::double precision))
