-- Every kind has a row for every period, even without events.
WITH counted AS ({counted})
SELECT period, kind, coalesce(events, 0) AS events, coalesce(contacts, 0) AS contacts
  FROM {periods}
 CROSS JOIN unnest({kinds}) AS u (kind)
  LEFT JOIN counted USING (period, kind)
