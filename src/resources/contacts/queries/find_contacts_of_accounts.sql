-- timeout: 4000ms
-- Contacts of many accounts, for the lanes. A merged contact has the id of the contact that it was merged into.
SELECT n.account_id AS of_account, n.contact_id AS of_contact, c.*,
       CASE WHEN c.contact_id IS NULL
            THEN (SELECT m.into_id FROM merged_contact m
                   WHERE m.account_id = n.account_id AND m.contact_id = n.contact_id) END AS merged_into
  FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, contact_id)
  LEFT JOIN LATERAL (SELECT * FROM contact WHERE account_id = n.account_id AND contact_id = n.contact_id OFFSET 0) c ON true
