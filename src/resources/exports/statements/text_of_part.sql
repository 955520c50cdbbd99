nullif(nullif(nullif({part}, 'null'::jsonb), '{}'::jsonb), '[]'::jsonb)::text
