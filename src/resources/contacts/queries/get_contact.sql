SELECT * FROM shown_contact
 WHERE account_id = $1::bigint
   AND contact_id = coalesce((SELECT into_id FROM merged_contact WHERE account_id = $1::bigint AND contact_id = $2::uuid),
                             $2::uuid)
