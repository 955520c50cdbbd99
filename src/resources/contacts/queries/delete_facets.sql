DELETE FROM contact_facet f
 USING unnest($3::bigint[], $4::text[]) AS gone (facet, value)
 WHERE f.account_id = $1::bigint AND f.contact_id = $2::uuid AND f.facet = gone.facet AND f.value = gone.value
