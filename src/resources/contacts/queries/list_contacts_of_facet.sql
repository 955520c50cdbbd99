-- order: [newest|oldest]
-- LIMIT 501, the largest page, is a constant: a generic plan does not know the limit's value and would expect many rows.
-- The page is found in contact_facet, in index order; only the contacts on the page are read.
SELECT s.*
  FROM (SELECT * FROM (SELECT f.contact_id
          FROM contact_facet f
         WHERE f.account_id = $1::bigint AND f.facet = $8::bigint AND f.value = $9
           AND f.contact_id [<|>] CASE WHEN $2::uuid IS NULL THEN ['ffffffff-ffff-ffff-ffff-ffffffffffff'|'00000000-0000-0000-0000-000000000000'] ELSE $2::uuid END
           AND ($3::timestamptz IS NULL
                OR EXISTS (SELECT FROM contact c WHERE c.account_id = $1::bigint AND c.contact_id = f.contact_id
                              AND c.updated_at > $3::timestamptz))
           AND contact_has($1::bigint, f.contact_id, $4::bigint[], $5::text[], $6::boolean[])
         ORDER BY f.contact_id [DESC|ASC]
         LIMIT 501) AS most
         LIMIT $7::bigint) AS page
  JOIN shown_contact s ON s.account_id = $1::bigint AND s.contact_id = page.contact_id
 ORDER BY page.contact_id [DESC|ASC]
