SELECT delete_old_erasures($1::integer) AS count
