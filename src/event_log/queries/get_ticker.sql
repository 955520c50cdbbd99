SELECT t.generation, t.owner = $1::uuid AS ours,
       coalesce(t.owner = ANY (living_processes(make_interval(secs => $2::integer))), false) AS alive
  FROM log_ticker t
