-- last_id is a sequence value, so a difference of two estimates the number of events between their ticks. If the clock
-- was set back, a later tick has an earlier `since`.
SELECT f.tick AS from_tick, f.epoch AS from_epoch, f.shows::text AS from_shows, f.ends AS from_ends,
       f.last_id AS from_last_id, f.at AS from_at, t.at AS to_at, e.start_id AS from_start_id,
       (SELECT min(s.since) FROM log_tick s WHERE s.tick BETWEEN f.tick AND t.tick)::text AS from_since,
       t.tick AS to_tick, t.epoch AS to_epoch, t.shows::text AS to_shows, t.ends AS to_ends, t.last_id AS to_last_id,
       e.start_id AS to_start_id, t.since::text AS to_since
  FROM log_tick f
  JOIN log_epoch e ON e.epoch = f.epoch
  JOIN log_tick t ON t.tick =
       CASE WHEN $2::bigint IS NOT NULL THEN $2::bigint
            ELSE coalesce((SELECT s.tick FROM log_tick s
                            WHERE s.epoch = f.epoch AND s.last_id <= f.last_id + $4::bigint
                              AND s.tick > f.tick AND s.tick <= $3::bigint
                            ORDER BY s.last_id DESC, s.tick DESC LIMIT 1), f.tick + 1)
        END
 WHERE f.tick = $1::bigint
