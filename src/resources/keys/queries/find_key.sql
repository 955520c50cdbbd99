SELECT account_id, key_id, scopes, state, expired, revoked, allowed_addresses, account_requests_per_second,
       account_request_burst, key_requests_per_second, key_request_burst, hash, ring_key
  FROM find_key($1::bytea[])
