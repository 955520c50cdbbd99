-- timeout: 4000ms
-- Suppressions of the addresses of contacts.
SELECT n.account_id, n.contact_id, s.reason
  FROM unnest($1::bigint[], $2::uuid[], $3::bytea[]) AS n (account_id, contact_id, address_hash)
  JOIN suppression s ON s.account_id = n.account_id AND s.channel = 'email' AND s.address_hash = n.address_hash
