SELECT require_signatures($1, $2::smallint, $3::bigint, make_interval(secs => $4::integer)) AS changed
