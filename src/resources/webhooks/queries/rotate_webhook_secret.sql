WITH changed AS (
  UPDATE webhook
     SET previous_signing_secret = signing_secret, previous_valid_until = $5::timestamptz, signing_secret = $4::bytea,
         updated_at = $6::timestamptz, version = version + 1
   WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the webhook has changed meanwhile')
