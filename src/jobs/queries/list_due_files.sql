-- A little later than due: by then whoever still wrote such a file has heard that it is not wanted.
SELECT account_id, name FROM stored_file
 WHERE remove_at <= transaction_timestamp() - make_interval(secs => $2::double precision)
 ORDER BY remove_at
 LIMIT $1::bigint
