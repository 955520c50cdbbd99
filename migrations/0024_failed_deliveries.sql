-- transactional
-- The few that failed are looked for among all that an endpoint was told.
CREATE INDEX webhook_delivery_failed ON webhook_delivery (account_id, webhook_id, id) WHERE state = 'failed';
