-- Refunds name the lines they refund. A refunded purchase without refunds counts as fully refunded (`whole`). The sums
-- of refunded lines are evaluated only for purchases with refunds. `bought` groups by purchase first, so that distinct
-- purchases are counted by hashing.
WITH lines AS (
  SELECT {period} AS period{grouped}, p.currency, p.purchase_id, l.line->>'productId' AS "productId",
         l.line->>'name' AS name, coalesce((l.line->>'quantity')::numeric, 0) AS quantity,
         coalesce((l.line->>'total')::numeric, (l.line->>'unitPrice')::numeric * (l.line->>'quantity')::numeric, 0)
           AS gross,
         p.status = 'refunded' AND p.data->'refunds' = '[]' AS whole,
         CASE WHEN p.data->'refunds' <> '[]'
              THEN (SELECT sum((b.line->>'quantity')::numeric)
                      FROM jsonb_array_elements(p.data->'refunds') AS f (refund)
                     CROSS JOIN LATERAL jsonb_array_elements(f.refund->'lines') AS b (line)
                     WHERE b.line->>'lineId' = l.line->>'lineId')
          END AS back_quantity,
         CASE WHEN p.data->'refunds' <> '[]'
              THEN (SELECT sum((b.line->>'amount')::numeric)
                      FROM jsonb_array_elements(p.data->'refunds') AS f (refund)
                     CROSS JOIN LATERAL jsonb_array_elements(f.refund->'lines') AS b (line)
                     WHERE b.line->>'lineId' = l.line->>'lineId')
          END AS back_amount
    FROM purchase p
   CROSS JOIN LATERAL jsonb_array_elements(p.data->'lines') AS l (line)
   WHERE {where}
), counted AS (
  SELECT period, "productId", max(name) AS name{groups}, currency, sum(quantity) AS quantity,
         sum(back_quantity) AS back_quantity, count(*) AS purchases, sum(net) AS net, sum(back) AS back
    FROM (SELECT period, "productId", max(name) AS name{groups}, currency, sum(quantity) AS quantity,
                 sum(CASE WHEN whole THEN quantity ELSE coalesce(back_quantity, 0) END) AS back_quantity,
                 sum(CASE WHEN whole THEN 0 ELSE gross - coalesce(back_amount, 0) END) AS net,
                 sum(CASE WHEN whole THEN gross ELSE coalesce(back_amount, 0) END) AS back
            FROM lines
           GROUP BY period, "productId", CASE WHEN "productId" IS NULL THEN name END{groups}, currency,
                    purchase_id) AS bought
   GROUP BY period, "productId", CASE WHEN "productId" IS NULL THEN name END{groups}, currency
)
SELECT c.*, coalesce(k.data->>'name', c.name) AS "productName", c.back_quantity AS "refundedQuantity",
       {revenue} AS revenue, {refunded} AS refunded, {digits} AS digits
  FROM counted c
  LEFT JOIN product k ON k.account_id = {account} AND k.store_id = c."productId"
