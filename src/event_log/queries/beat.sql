-- timeout: 4000ms
SELECT reader, lane_group, generation, tick, through, after_id
  FROM beat($1::uuid, $2, make_interval(secs => $3::integer), $4::text[], $5::integer[])
