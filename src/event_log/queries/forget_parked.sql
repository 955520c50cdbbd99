WITH gone AS (DELETE FROM log_parked WHERE reader = $1 RETURNING 1) SELECT count(*) AS count FROM gone
