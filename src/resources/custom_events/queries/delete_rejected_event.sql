WITH gone AS (DELETE FROM rejected_event WHERE account_id = $1::bigint AND id = $2::uuid RETURNING 1)
SELECT require(EXISTS (SELECT FROM gone), 'SB001', 'the rejected event is not there any more')
