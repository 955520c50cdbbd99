-- Takes an exclusive lock: waits for purchases in flight. New purchases wait until the change of the currency commits.
SELECT pg_advisory_xact_lock(hashtextextended('currency', $1::bigint))
