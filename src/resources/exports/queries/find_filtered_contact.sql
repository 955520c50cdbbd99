SELECT coalesce(m.into_id, n.contact_id) AS contact_id
  FROM (SELECT contact_id FROM contact WHERE account_id = $1::bigint AND email_key = $2
        UNION ALL
        SELECT contact_id FROM contact WHERE account_id = $1::bigint AND external_id = $3
        UNION ALL
        SELECT contact_id FROM contact WHERE account_id = $1::bigint AND contact_id = $4::uuid
        UNION ALL
        SELECT contact_id FROM merged_contact WHERE account_id = $1::bigint AND contact_id = $4::uuid) AS n
  LEFT JOIN merged_contact m ON m.account_id = $1::bigint AND m.contact_id = n.contact_id
