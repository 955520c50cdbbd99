SELECT account_id, key_id, scopes, state, expired, revoked FROM find_key($1::bytea[])
