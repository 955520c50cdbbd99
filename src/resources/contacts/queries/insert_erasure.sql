INSERT INTO erasure (account_id, identifier_hash, erased_at)
VALUES ($1::bigint, $2::bytea, transaction_timestamp())
ON CONFLICT (account_id, identifier_hash) DO UPDATE SET erased_at = excluded.erased_at
