-- Fails once remove_at has passed, because cleanup may be removing the file.
WITH adopted AS (
  UPDATE stored_file
     SET job_id = $4::uuid, remove_at = transaction_timestamp() + make_interval(secs => $5::double precision)
   WHERE account_id = $1::bigint AND name = $2 AND job_id = $3::uuid AND remove_at > transaction_timestamp()
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM adopted), 'SB003', 'the file has gone meanwhile')
