-- timeout: 4000ms
UPDATE event SET payload = NULL
 WHERE account_id = $1::bigint AND payload IS NOT NULL
   AND contact_id IN (SELECT $2::uuid
                      UNION ALL
                      SELECT contact_id FROM merged_contact WHERE account_id = $1::bigint AND into_id = $2::uuid)
