-- The contact's newest messages of the workflow, of its 1,000 newest ones.
SELECT run_id, template, state, reason, due_at, ended_at
  FROM (SELECT message_id, workflow_id, run_id, template, state, reason, due_at, ended_at FROM message
         WHERE account_id = $1::bigint AND contact_id = $2::uuid
         ORDER BY message_id DESC LIMIT 1000) m
 WHERE workflow_id = $3::uuid AND run_id IS NOT NULL
 ORDER BY message_id DESC
 LIMIT 30
