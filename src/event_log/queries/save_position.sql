SELECT save_position($1, $2::smallint[], $3::bigint, $4::bigint, $5::bigint)
