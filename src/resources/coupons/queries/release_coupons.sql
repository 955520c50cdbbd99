-- timeout: 4000ms
SELECT release_coupon(n.account_id, n.claim_id)
  FROM (SELECT * FROM unnest($1::bigint[], $2::uuid[]) AS n (account_id, claim_id) ORDER BY 1, 2) n
