SELECT last_sequence, head
  FROM webhook_chain
 WHERE account_id = $1::bigint AND webhook_id = $2::uuid AND lane = 0 AND contact_id = $3::uuid
