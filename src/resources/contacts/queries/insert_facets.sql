INSERT INTO contact_facet (account_id, facet, value, contact_id)
SELECT $1::bigint, facet, value, $2::uuid FROM unnest($3::bigint[], $4::text[]) AS new (facet, value)
