-- timeout: 12000ms
-- Updates a batch of contacts, for imports. Never waits for another writer: a locked row is a conflict.
-- The lists in braces are filled in from contact_columns.cc.
-- LATERAL looks up each row separately: the planner estimates ten rows for a thousand and would compare all with all.
WITH mine AS MATERIALIZED (
  SELECT n.*
    FROM unnest($2::uuid[], $3::bigint[], {arrays}) AS n (contact_id, version, {columns})
   CROSS JOIN LATERAL (
         SELECT FROM contact c
          WHERE c.account_id = $1::bigint AND c.contact_id = n.contact_id AND c.version = n.version
            FOR NO KEY UPDATE OF c SKIP LOCKED) AS locked
), changed AS (
  UPDATE contact c
     SET version = c.version + 1, {row assignments}
    FROM mine n
   WHERE c.account_id = $1::bigint AND c.contact_id = n.contact_id
  RETURNING 1
)
SELECT require((SELECT count(*) FROM changed) = cardinality($2::uuid[]), 'SB001', 'a contact has changed meanwhile')
