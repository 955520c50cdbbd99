-- online
-- The few that failed are looked for among all that an endpoint was told.
DROP INDEX CONCURRENTLY IF EXISTS webhook_delivery_failed
-- step
CREATE INDEX CONCURRENTLY webhook_delivery_failed ON webhook_delivery (account_id, webhook_id, id)
  WHERE state = 'failed'
