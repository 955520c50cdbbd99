-- transactional
-- `shopbell account resume` restarts the retry period of the account's webhooks: while the account was suspended, they
-- did not fail.
GRANT UPDATE (enabled_at) ON webhook TO shopbell_worker;
