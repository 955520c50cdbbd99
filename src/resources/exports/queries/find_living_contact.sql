SELECT contact_id
  FROM contact
 WHERE account_id = $1::bigint
   AND contact_id IN (SELECT $2::uuid
                      UNION ALL
                      SELECT into_id FROM merged_contact WHERE account_id = $1::bigint AND contact_id = $2::uuid)
