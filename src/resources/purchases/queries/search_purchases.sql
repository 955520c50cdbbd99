-- Rows are always ordered by the store's id, so that an index on the prefix serves the query.
SELECT * FROM (
  SELECT * FROM shown_purchase
   WHERE account_id = $1::bigint AND store_id >= $3 AND store_id < $4 AND store_id > CASE WHEN $2::text IS NULL THEN '' ELSE $2::text END
   ORDER BY store_id
   LIMIT 501
) AS page
 LIMIT $5::bigint
