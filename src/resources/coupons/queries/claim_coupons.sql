-- timeout: 4000ms
-- Claims of one batch of the lanes, in the order of sets: two batches never wait for each other in a circle.
SELECT n.number, c.code
  FROM (SELECT *
          FROM unnest($1::bigint[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::uuid[], $7::text[], $8::boolean[])
               WITH ORDINALITY
            AS n (account_id, coupon_set, contact_id, claim_id, run_id, workflow_id, node, reuse, number)
         ORDER BY account_id, coupon_set, claim_id) n
 CROSS JOIN LATERAL claim_coupon_for_run(n.account_id, n.coupon_set, n.contact_id, n.claim_id, n.run_id,
                                         n.workflow_id, n.node, n.reuse) AS c (code)
