WITH changed AS (
  UPDATE webhook
     SET replay_from = $4::timestamptz, replay_to = $5::timestamptz, replay_at = $6::timestamptz, replay_after = 0,
         updated_at = $6::timestamptz,
         version = version + 1
   WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND version = $3::bigint
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM changed), 'SB001', 'the webhook has changed meanwhile')
