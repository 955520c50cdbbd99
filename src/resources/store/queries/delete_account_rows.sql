SELECT delete_account_rows($1::integer, make_interval(secs => $2::double precision),
                           make_interval(secs => $3::double precision)) AS count
