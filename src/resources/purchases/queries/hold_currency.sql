-- Until the purchase is committed nobody changes the store's currency; who does waits for everybody here.
SELECT pg_advisory_xact_lock_shared(hashtextextended('currency', $1::bigint))
