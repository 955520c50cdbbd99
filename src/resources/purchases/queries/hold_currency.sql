-- Takes a shared lock until commit: a change of the store's currency waits for all purchases in flight.
SELECT pg_advisory_xact_lock_shared(hashtextextended('currency', $1::bigint))
