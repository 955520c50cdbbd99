SELECT require(count(*) < $3::bigint
               AND EXISTS (SELECT FROM integration WHERE account_id = $1::bigint AND integration_id = $2::uuid),
               'SB001', 'the limit was reached meanwhile, or the integration is gone')
  FROM event_type
 WHERE account_id = $1::bigint
