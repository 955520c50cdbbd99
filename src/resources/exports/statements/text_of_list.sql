(SELECT string_agg(e.v, '|' ORDER BY e.o)
   FROM jsonb_array_elements_text(nullif({list}, 'null'::jsonb)) WITH ORDINALITY AS e (v, o))
