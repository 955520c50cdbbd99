SELECT delete_old_rejected_events($1::integer) AS count
