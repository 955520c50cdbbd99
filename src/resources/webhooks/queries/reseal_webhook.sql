-- Changes no value, only its encryption: the version stays.
UPDATE webhook SET headers = $4::jsonb, signing_secret = $5::bytea, previous_signing_secret = $6::bytea
 WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND version = $3::bigint
