INSERT INTO engine_interest AS i (account_id, version, kinds)
VALUES ($1::bigint, 1, $2::text[])
ON CONFLICT (account_id) DO UPDATE
   SET version = i.version + 1,
       kinds = ARRAY(SELECT DISTINCT kind FROM unnest(i.kinds || excluded.kinds) AS kind ORDER BY kind)
