-- Returns any encrypted secret of the account: decrypting it shows whether the keyring matches.
SELECT event_type_id, signing_secret FROM event_type WHERE signing_secret IS NOT NULL LIMIT 1
