-- Adds a test delivery to the chain of events without a contact.
WITH chain AS (
  INSERT INTO webhook_chain AS c (account_id, webhook_id, lane, contact_id, last_sequence, head)
  VALUES ($1::bigint, $2::uuid, 0, $3::uuid, 1, $4::uuid)
  ON CONFLICT (account_id, webhook_id, lane, contact_id)
    DO UPDATE SET last_sequence = c.last_sequence + 1, head = coalesce(c.head, excluded.head)
  RETURNING last_sequence, head
), added AS (
  INSERT INTO webhook_delivery (account_id, webhook_id, event_uid, received_at, kind, lane, contact_id, sequence, state,
                                due_at)
  SELECT $1::bigint, $2::uuid, $4::uuid, $6::timestamptz, $5, 0, $3::uuid, last_sequence,
         CASE WHEN head = $4::uuid THEN 'due' ELSE 'held' END, CASE WHEN head = $4::uuid THEN $6::timestamptz END
    FROM chain
)
SELECT require(last_sequence = $7::bigint AND (head <> $4::uuid) = $8::boolean, 'SB001',
               'something else was told meanwhile')
  FROM chain
