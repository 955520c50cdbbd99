-- Each name is looked up on its own (OFFSET 0 keeps it so), whatever the planner believes of the table: an import begins
-- on an empty one, and a condition on all names at once is then a comparison of every row with every name.
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
