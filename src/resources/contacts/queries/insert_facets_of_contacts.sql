-- timeout: 12000ms
INSERT INTO contact_facet (account_id, contact_id, facet, value)
SELECT $1::bigint, contact_id, facet, value
  FROM unnest($2::uuid[], $3::bigint[], $4::text[]) AS new (contact_id, facet, value)
