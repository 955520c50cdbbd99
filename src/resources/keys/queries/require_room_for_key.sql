SELECT require(count(*) < $2::bigint, 'SB001', 'the limit was reached meanwhile')
  FROM api_key
 WHERE account_id = $1::bigint AND revoked_at IS NULL
