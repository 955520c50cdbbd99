-- timeout: 4000ms
-- The next runs that wait for a product or a variant, oldest first.
SELECT since, run_id, contact_id, lane, per_unit
  FROM subject_wait
 WHERE account_id = $1::bigint AND subject = $2 AND since <= $3::timestamptz
   AND ($4::timestamptz IS NULL OR (since, run_id) > ($4::timestamptz, $5::uuid))
 ORDER BY since, run_id
 LIMIT $6::bigint
