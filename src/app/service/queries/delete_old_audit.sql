SELECT delete_old_audit($1::integer) AS count
