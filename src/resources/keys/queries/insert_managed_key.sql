INSERT INTO api_key (account_id, key_id, name, hash, hint, scopes, expires_at, allowed_addresses, requests_per_second,
                     request_burst, created_at, updated_at, ring_key)
VALUES ($1::bigint, $2::uuid, $3, $4::bytea, $5, $6::text[], $7::timestamptz, $8::text[], $9::integer, $10::integer,
        $11::timestamptz, $11::timestamptz, $12::integer)
