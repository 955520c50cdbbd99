-- timeout: 4000ms
-- From the first mark on: a search from the oldest timer would walk all rows that a long snapshot keeps.
DELETE FROM timer t
 USING unnest($1::smallint[], $2::timestamptz[], $3::uuid[], $4::timestamptz[], $5::uuid[])
       AS f (lane_group, above_at, above_id, to_at, to_id)
 WHERE t.lane_group = f.lane_group AND (t.due_at, t.owner_id) > (f.above_at, f.above_id)
   AND (t.due_at, t.owner_id) <= (f.to_at, f.to_id)
