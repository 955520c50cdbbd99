-- A call that deletes nothing ends the chore for now, so it reads more rows than others.
SELECT forget_chains(make_interval(secs => $2::integer), 10 * $1::integer) AS count
