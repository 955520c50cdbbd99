SELECT require(count(*) < $2::bigint, 'SB001', 'the limit was reached meanwhile')
  FROM integration
 WHERE account_id = $1::bigint
