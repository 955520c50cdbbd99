-- timeout: 4000ms
-- Moves runs. No indexed column changes. The lists in braces are filled in from run_columns.cc.
WITH changed AS (
  UPDATE run r
     SET seq = r.seq + 1, trail = right(r.trail || n.trail, 8000), {row assignments}
    FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[], {arrays})
         AS n (account_id, contact_id, run_id, seq, trail, {columns})
   WHERE r.account_id = n.account_id AND r.contact_id = n.contact_id AND r.run_id = n.run_id AND r.seq = n.seq
  RETURNING 1
)
SELECT require((SELECT count(*) FROM changed) = cardinality($1::bigint[]), 'SB001', 'a run has changed meanwhile')
