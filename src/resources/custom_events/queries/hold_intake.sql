-- timeout: 4000ms
SELECT partition, generation, next_offset, cutover_due
  FROM hold_intake($1::uuid, $2, $3::integer, make_interval(secs => $4::integer), $5::integer,
                   make_interval(secs => $6::integer))
