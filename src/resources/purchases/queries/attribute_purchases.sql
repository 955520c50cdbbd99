-- timeout: 4000ms
-- Attributes purchases to workflows and keeps the amounts up to date. A purchase counts as it is now; a deleted one no
-- longer. The first reason wins: the code of a run, the one claimed last; then what is stored; then the run that the
-- purchase converted ($3, $4; null: none). So refunds and replacements change the amount, but not the workflow.
-- Two lanes meet here only while a purchase changes its contact: the guard on its version keeps the newest state.
WITH told AS MATERIALIZED (
  SELECT n.account_id, n.store_id, n.workflow_id, n.run_id, p.purchase_id, p.contact_id, p.version, p.amount
    FROM unnest($1::bigint[], $2::text[], $3::uuid[], $4::uuid[]) AS n (account_id, store_id, workflow_id, run_id)
    LEFT JOIN LATERAL (SELECT purchase_id, contact_id, version, coalesce(store_amount, 0) AS amount FROM purchase
                        WHERE account_id = n.account_id AND store_id = n.store_id OFFSET 0) p ON true
), reason AS (
  SELECT t.account_id, t.store_id, t.purchase_id, t.version, t.amount, 1 AS place, 'coupon' AS rule, k.workflow_id,
         k.node, k.run_id, NULL::uuid AS message_id
    FROM told t
   CROSS JOIN LATERAL
         (SELECT k.workflow_id, k.node, k.run_id
            FROM coupon_redemption r
            JOIN coupon c ON c.account_id = r.account_id AND c.code_key = r.code_key AND c.coupon_set_id = r.coupon_set_id
           CROSS JOIN LATERAL
                 (SELECT x.* FROM (SELECT claim_id, workflow_id, node, run_id, claimed_at FROM coupon_claim
                                    WHERE account_id = c.account_id AND claim_id = c.claim_id OFFSET 0) x
                  UNION ALL
                  -- All contacts have the same code of a shared set, so only claims before the purchase count.
                  SELECT x.* FROM (SELECT claim_id, workflow_id, node, run_id, claimed_at FROM coupon_claim
                                    WHERE account_id = c.account_id AND contact_id = t.contact_id
                                      AND code_key = c.code_key AND coupon_set_id = c.coupon_set_id
                                      AND claimed_at <= r.redeemed_at OFFSET 0) x
                   WHERE c.shared) k
           WHERE r.account_id = t.account_id AND r.purchase_id = t.purchase_id AND k.workflow_id IS NOT NULL
           ORDER BY k.claimed_at DESC, k.claim_id LIMIT 1) k
  UNION ALL
  SELECT t.account_id, t.store_id, t.purchase_id, t.version, t.amount, 2, s.rule, s.workflow_id, s.node, s.run_id, s.message_id
    FROM told t
   CROSS JOIN LATERAL (SELECT * FROM purchase_attribution
                        WHERE account_id = t.account_id AND store_id = t.store_id AND purchase_id = t.purchase_id
                       OFFSET 0) s
  UNION ALL
  SELECT account_id, store_id, purchase_id, version, amount, 3, 'goal', workflow_id, NULL, run_id, NULL
    FROM told WHERE workflow_id IS NOT NULL AND purchase_id IS NOT NULL
), gone AS (
  -- Of a deleted purchase; there may be a new one with the same store's id.
  DELETE FROM purchase_attribution a USING told t
   WHERE a.account_id = t.account_id AND a.store_id = t.store_id AND a.purchase_id IS DISTINCT FROM t.purchase_id
     AND (t.account_id, t.store_id) NOT IN (SELECT account_id, store_id FROM reason)
)
INSERT INTO purchase_attribution AS a (account_id, store_id, purchase_id, version, rule, workflow_id, node, run_id,
                                       message_id, amount)
SELECT DISTINCT ON (account_id, store_id)
       account_id, store_id, purchase_id, version, rule, workflow_id, node, run_id, message_id, amount
  FROM reason
 ORDER BY account_id, store_id, place
ON CONFLICT (account_id, store_id) DO UPDATE
   SET purchase_id = excluded.purchase_id, version = excluded.version, rule = excluded.rule,
       workflow_id = excluded.workflow_id, node = excluded.node, run_id = excluded.run_id,
       message_id = excluded.message_id, amount = excluded.amount, xid = excluded.xid
 WHERE (a.purchase_id <> excluded.purchase_id OR a.version <= excluded.version)
   AND (a.purchase_id, a.rule, a.workflow_id, a.node, a.run_id, a.message_id, a.amount) IS DISTINCT FROM
       (excluded.purchase_id, excluded.rule, excluded.workflow_id, excluded.node, excluded.run_id, excluded.message_id,
        excluded.amount)
