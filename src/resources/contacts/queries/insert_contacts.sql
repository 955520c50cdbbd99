-- timeout: 12000ms
-- Inserts a batch of contacts, for imports. The lists in braces are filled in from contact_columns.cc.
INSERT INTO contact (account_id, contact_id, version, {columns})
SELECT $1::bigint, n.contact_id, n.version + 1, {row values}
  FROM unnest($2::uuid[], $3::bigint[], {arrays}) AS n (contact_id, version, {columns})
