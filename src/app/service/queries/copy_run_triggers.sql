-- timeout: 10000ms
-- A lane that has loaded one of the runs notices the change by its number, and loads it again.
SELECT copy_run_triggers($1::integer, make_interval(secs => $2::bigint)) AS count
