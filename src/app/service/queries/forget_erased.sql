SELECT forget_erased($1::integer) AS count
