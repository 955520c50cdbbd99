-- Counts codes by the time they were assigned, and redemptions by the time of the purchase.
WITH used AS (
  SELECT {claim_period} AS period, c.coupon_set_id, 1 AS assigned, 0 AS redeemed, 0 AS by_other
    FROM coupon_claim c
   WHERE c.account_id = {account} AND {claimed}
  UNION ALL
  SELECT {redemption_period}, c.coupon_set_id, 0, 1, CASE WHEN c.by_other THEN 1 ELSE 0 END
    FROM coupon_redemption c
   WHERE c.account_id = {account} AND {redeemed}
), counted AS (
  SELECT period, coupon_set_id, sum(assigned) AS assigned, sum(redeemed) AS redeemed, sum(by_other) AS by_other
    FROM used
   GROUP BY period, coupon_set_id
)
SELECT a.period, s.alias AS "couponSet", s.name, coalesce(c.assigned, 0) AS assigned,
       coalesce(c.redeemed, 0) AS redeemed, coalesce(c.by_other, 0) AS "byOther"
  FROM {periods}
 CROSS JOIN coupon_set s
  LEFT JOIN counted c ON c.period = a.period AND c.coupon_set_id = s.coupon_set_id
 WHERE {where}
