{purchases} LEFT JOIN LATERAL jsonb_array_elements(p.data->'lines') WITH ORDINALITY AS l (line, n) ON true
