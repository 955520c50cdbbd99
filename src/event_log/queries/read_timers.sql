-- timeout: 5000ms
-- The first timers of each group after its mark. A timer is due when the tick's time has reached it: all events up to
-- then are processed.
SELECT k.at, t.lane_group, t.due_at, t.owner_id, t.account_id, t.contact_id
  FROM log_tick k
  LEFT JOIN (unnest($4::smallint[], $5::timestamptz[], $6::uuid[]) AS g (lane_group, due_at, owner_id)
             CROSS JOIN LATERAL
             (SELECT x.* FROM timer x
               WHERE x.lane_group = g.lane_group AND (x.due_at, x.owner_id) > (g.due_at, g.owner_id)
                 AND x.due_at <= (SELECT at FROM log_tick WHERE tick = $1::bigint) + make_interval(secs => $3::integer)
               ORDER BY x.due_at, x.owner_id
               LIMIT $2::bigint) t) ON true
 WHERE k.tick = $1::bigint
 ORDER BY t.lane_group, t.due_at, t.owner_id
