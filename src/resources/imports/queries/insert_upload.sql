-- `job_id` is the upload's own id until adopt_upload sets the job's.
INSERT INTO stored_file (account_id, name, job_id, remove_at)
VALUES ($1::bigint, $2, $3::uuid, transaction_timestamp() + make_interval(secs => $4::double precision))
