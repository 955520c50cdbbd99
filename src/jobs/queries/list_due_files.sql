-- Lists files only a while after they are due: by then a worker that was writing one has learned that it is unwanted.
SELECT account_id, name FROM stored_file
 WHERE remove_at <= transaction_timestamp() - make_interval(secs => $2::double precision)
 ORDER BY remove_at
 LIMIT $1::bigint
