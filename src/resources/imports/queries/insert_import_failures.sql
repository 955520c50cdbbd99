INSERT INTO import_failure (account_id, job_id, row, pointer, code, detail, line)
SELECT $1::bigint, new.*
  FROM unnest($2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[]) AS new
