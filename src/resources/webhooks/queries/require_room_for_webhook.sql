SELECT require(count(*) < $2::bigint, 'SB001', 'the limit was reached meanwhile')
  FROM webhook
 WHERE account_id = $1::bigint AND event_type IS NULL
