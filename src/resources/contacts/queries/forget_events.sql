WITH person AS (
  SELECT $2::uuid AS contact_id
  UNION ALL
  SELECT contact_id FROM merged_contact WHERE account_id = $1::bigint AND into_id = $2::uuid
), later AS (
  INSERT INTO erased_contact (account_id, contact_id) SELECT $1::bigint, contact_id FROM person
), few AS MATERIALIZED (
  SELECT e.received_at, e.id
    FROM person p JOIN event e ON e.account_id = $1::bigint AND e.contact_id = p.contact_id
   WHERE e.payload IS NOT NULL
   LIMIT $3::bigint
)
UPDATE event e SET payload = NULL
  FROM few f
 WHERE e.account_id = $1::bigint AND e.received_at = f.received_at AND e.id = f.id
