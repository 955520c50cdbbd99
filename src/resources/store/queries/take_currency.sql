-- Waits for purchases that are being written; those that come wait until the currency is changed.
SELECT pg_advisory_xact_lock(hashtextextended('currency', $1::bigint))
