-- timeout: 4000ms
-- The schedule that is due longest; none while another process walks, or while the lanes are more than a second behind:
-- contacts of schedules wait behind live events.
SELECT s.account_id, s.workflow_id, s.zone, s.version, s.next_at, s.baseline, s.walked_to, transaction_timestamp() AS now,
       i.version AS interest, a.version AS store,
       coalesce((SELECT c.version FROM contact_field_counter c WHERE c.account_id = s.account_id), 0) AS fields
  FROM (SELECT * FROM workflow_schedule WHERE next_at <= transaction_timestamp() ORDER BY next_at LIMIT 1) s
  JOIN account a ON a.account_id = s.account_id
  JOIN engine_interest i ON i.account_id = s.account_id
 WHERE (SELECT pg_try_advisory_xact_lock(hashtextextended('walk schedules', 0)))
   AND NOT EXISTS (SELECT FROM log_tick t
                    WHERE t.tick = (SELECT min(p.tick) + 1 FROM log_position p WHERE p.reader = 'automation')
                      AND t.at < transaction_timestamp() - interval '1 second')
