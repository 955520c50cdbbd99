-- The total at the end of a period is the present total, minus contacts created since, plus contacts removed since.
-- Contacts and events are read in the same snapshot. Events after the range have no period.
WITH counted AS (
  SELECT CASE WHEN e.received_at < {to} THEN {period} END AS period,
         count(*) FILTER (WHERE e.kind = 'contact.created') AS created,
         count(*) FILTER (WHERE e.kind = 'contact.merged') AS merged,
         count(*) FILTER (WHERE e.kind = 'contact.deleted') AS deleted,
         count(*) FILTER (WHERE e.kind = 'contact.subscribed'
                            AND e.payload->>'channel' = 'email') AS "emailSubscribed",
         count(*) FILTER (WHERE e.kind = 'contact.unsubscribed'
                            AND e.payload->>'channel' = 'email') AS "emailUnsubscribed",
         count(*) FILTER (WHERE e.kind = 'contact.subscribed'
                            AND e.payload->>'channel' = 'sms') AS "smsSubscribed",
         count(*) FILTER (WHERE e.kind = 'contact.unsubscribed'
                            AND e.payload->>'channel' = 'sms') AS "smsUnsubscribed"
    FROM event e
   WHERE e.account_id = {account} AND e.received_at >= {from}
     AND e.kind IN ('contact.created', 'contact.merged', 'contact.deleted', 'contact.subscribed',
                    'contact.unsubscribed')
   GROUP BY 1
), filled AS (
  SELECT a.period, coalesce(c."created", 0) AS "created", coalesce(c."merged", 0) AS "merged",
         coalesce(c."deleted", 0) AS "deleted", coalesce(c."emailSubscribed", 0) AS "emailSubscribed",
         coalesce(c."emailUnsubscribed", 0) AS "emailUnsubscribed", coalesce(c."smsSubscribed", 0) AS "smsSubscribed",
         coalesce(c."smsUnsubscribed", 0) AS "smsUnsubscribed"
    FROM {periods}
    LEFT JOIN counted c ON c.period = a.period
)
SELECT f.*,
       (SELECT count(*) FROM contact WHERE account_id = {account})
       - coalesce((SELECT created - merged - deleted FROM counted WHERE period IS NULL), 0)
       - coalesce(sum(f.created - f.merged - f.deleted)
                    OVER (ORDER BY f.period ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING), 0) AS total
  FROM filled f
