-- The lag of each reader's slowest lanes behind the newest tick.
SELECT behind.reader, newest.last_id - coalesce(at.last_id, newest.last_id) AS events,
       CASE WHEN behind.tick < newest.tick
            THEN extract(epoch FROM transaction_timestamp() - coalesce(next.at, transaction_timestamp())) ELSE 0
        END::text AS seconds,
       (SELECT count(*) FROM log_parked k WHERE k.reader = behind.reader) AS parked
  FROM (SELECT reader, min(tick) AS tick FROM log_position GROUP BY reader) behind
 CROSS JOIN (SELECT tick, last_id FROM log_tick ORDER BY tick DESC LIMIT 1) newest
  LEFT JOIN log_tick at ON at.tick = behind.tick
  LEFT JOIN log_tick next ON next.tick = behind.tick + 1
 ORDER BY behind.reader
