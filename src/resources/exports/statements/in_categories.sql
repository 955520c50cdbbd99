-- The product is in one of the categories, or below it.
EXISTS (SELECT
          FROM jsonb_array_elements_text(p.data->'categories') AS e (v), unnest({categories}) AS w (c)
         WHERE e.v = w.c OR starts_with(e.v, w.c || '/'))
