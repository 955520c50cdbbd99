-- Any of the account: it shows with which keyring the database was used.
SELECT event_type_id, signing_secret FROM event_type WHERE signing_secret IS NOT NULL LIMIT 1
