-- Counts purchases except cancelled ones, as the totals of a contact do.
WITH counted AS (
  SELECT {period} AS period{grouped}, p.currency,
         count(*) FILTER (WHERE p.status <> 'cancelled') AS purchases,
         count(DISTINCT p.contact_id) FILTER (WHERE p.status <> 'cancelled') AS customers,
         sum((p.data->>'quantity')::numeric) FILTER (WHERE p.status <> 'cancelled') AS quantity,
         sum(p.net_total) FILTER (WHERE p.status <> 'cancelled') AS revenue,
         sum((p.data->>'refundedTotal')::numeric) FILTER (WHERE p.status <> 'cancelled') AS refunded,
         count(*) FILTER (WHERE p.status = 'cancelled') AS cancelled
    FROM purchase p
   WHERE {where}
   GROUP BY period{groups}, p.currency
), filled AS (
  SELECT period{groups}, currency, coalesce(purchases, 0) AS purchases, coalesce(customers, 0) AS customers,
         coalesce(quantity, 0) AS quantity, coalesce(revenue, 0) AS revenue, coalesce(refunded, 0) AS refunded,
         coalesce(cancelled, 0) AS cancelled
    FROM {source}
), shared AS (
  SELECT f.*, {digits} AS digits, f.revenue::numeric(60, 20) / nullif(f.purchases, 0) AS share
    FROM filled f
)
SELECT s.*, {average} AS "averageAmount"
  FROM shared s
