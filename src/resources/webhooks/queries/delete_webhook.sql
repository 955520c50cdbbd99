WITH gone AS (
  DELETE FROM webhook
   WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND version = $3::bigint
  RETURNING account_id, webhook_id
), noted AS (
  INSERT INTO dropped_webhook (account_id, webhook_id) SELECT account_id, webhook_id FROM gone
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the webhook has changed meanwhile')
