-- transactional
-- What the API may do to keys and stores itself, and what an operator's commands may: column by column. Nobody but the
-- owner can read a key's hash again or move a row to another account.

GRANT SELECT (account_id, key_id, name, hint, scopes, created_at, expires_at, revoked_at, allowed_addresses,
              requests_per_second, request_burst, version, updated_at) ON api_key TO shopbell_api;
GRANT INSERT ON api_key TO shopbell_api;
GRANT UPDATE (name, scopes, expires_at, revoked_at, allowed_addresses, requests_per_second, request_burst, version,
              updated_at) ON api_key TO shopbell_api;
GRANT UPDATE (revoked_at, version, updated_at) ON api_key TO shopbell_worker;

GRANT UPDATE (name, url, time_zone, currency, locale, country, domains, marketing_requires, marketing_per_day,
              marketing_per_week, version, updated_at) ON account TO shopbell_api;
GRANT UPDATE (state, requests_per_second, request_burst, version, updated_at) ON account TO shopbell_worker;
