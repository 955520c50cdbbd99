-- Looks up each identifier in its own subquery: OFFSET 0 keeps the planner from joining them. An import may start on an
-- empty table, and with its statistics the planner would compare every row with every identifier.
SELECT shown.*
  FROM (SELECT c.contact_id
          FROM unnest($2::text[]) AS named (email_key) CROSS JOIN LATERAL (
            SELECT contact_id FROM contact WHERE account_id = $1::bigint AND email_key = named.email_key OFFSET 0) c
        UNION
        SELECT c.contact_id
          FROM unnest($3::text[]) AS named (external_id) CROSS JOIN LATERAL (
            SELECT contact_id FROM contact WHERE account_id = $1::bigint AND external_id = named.external_id OFFSET 0) c
       ) AS found CROSS JOIN LATERAL (
         SELECT * FROM shown_contact WHERE account_id = $1::bigint AND contact_id = found.contact_id OFFSET 0) AS shown
