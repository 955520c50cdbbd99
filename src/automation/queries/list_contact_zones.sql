-- timeout: 4000ms
-- The time zones of an account's contacts; the index is read once per zone.
WITH RECURSIVE zone AS (
  (SELECT time_zone FROM contact WHERE account_id = $1::bigint AND time_zone IS NOT NULL ORDER BY time_zone LIMIT 1)
  UNION ALL
  SELECT (SELECT c.time_zone FROM contact c
           WHERE c.account_id = $1::bigint AND c.time_zone > z.time_zone ORDER BY c.time_zone LIMIT 1)
    FROM zone z
   WHERE z.time_zone IS NOT NULL
)
SELECT time_zone FROM zone WHERE time_zone IS NOT NULL
