-- Of the whole server: it stops writing for all of them when one runs out of numbers.
SELECT datname AS name, age(datfrozenxid)::bigint AS age FROM pg_database ORDER BY age(datfrozenxid) DESC LIMIT 1
