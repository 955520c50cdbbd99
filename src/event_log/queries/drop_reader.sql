SELECT drop_log_reader($1) AS count
