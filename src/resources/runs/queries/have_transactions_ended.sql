SELECT pg_snapshot_xmin(pg_current_snapshot()) >= $1::text::xid8 AS ended
