SELECT purge_dropped_fields($1::integer) AS count
