-- Finds the oldest database of the server: if one runs out of transaction ids, the server refuses all writes.
SELECT datname AS name, age(datfrozenxid)::bigint AS age FROM pg_database ORDER BY age(datfrozenxid) DESC LIMIT 1
