-- timeout: 4000ms
-- The lists in braces are filled in from run_columns.cc.
INSERT INTO run (account_id, contact_id, run_id, seq, trail, {columns})
SELECT n.account_id, n.contact_id, n.run_id, n.seq + 1, n.trail, {row values}
  FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[], {arrays})
       AS n (account_id, contact_id, run_id, seq, trail, {columns})
