-- Returns all ids of one person: the contact's own and those merged into it. $2 may be any of them.
WITH person AS (
  SELECT contact_id FROM contact
   WHERE account_id = $1::bigint
     AND contact_id = coalesce((SELECT into_id FROM merged_contact WHERE account_id = $1::bigint AND contact_id = $2::uuid),
                               $2::uuid)
)
SELECT contact_id FROM person
 UNION ALL
SELECT m.contact_id FROM person p JOIN merged_contact m ON m.account_id = $1::bigint AND m.into_id = p.contact_id
