-- timeout: 4000ms
-- True if every group of lanes of the automation has passed the tick, and none is more than a second behind.
SELECT coalesce(min(p.tick) >= $1::bigint, false)
       AND NOT EXISTS (SELECT FROM log_tick t
                        WHERE t.tick = min(p.tick) + 1 AND t.at < transaction_timestamp() - interval '1 second') AS passed
  FROM log_position p WHERE p.reader = 'automation'
