WITH gone AS (
  DELETE FROM integration i
   WHERE i.account_id = $1::bigint AND i.integration_id = $2::uuid AND i.version = $3::bigint
     AND $4::bigint = (SELECT count(*) FROM event_type t
                        WHERE t.account_id = i.account_id AND t.integration_id = i.integration_id)
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the integration has changed meanwhile')
