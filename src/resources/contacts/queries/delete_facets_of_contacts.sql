-- timeout: 12000ms
DELETE FROM contact_facet f
 USING unnest($2::uuid[], $3::bigint[], $4::text[]) AS gone (contact_id, facet, value)
 WHERE f.account_id = $1::bigint AND f.contact_id = gone.contact_id AND f.facet = gone.facet AND f.value = gone.value
