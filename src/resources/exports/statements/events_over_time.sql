-- Counts by time of occurrence. Merged contacts count as the contact they were merged into. Two hash aggregations count
-- them: count(DISTINCT …) would sort all events.
SELECT period, kind{groups}, sum(events)::bigint AS events, count(contact) AS contacts
  FROM (SELECT {period} AS period, e.kind{grouped}, coalesce(m.into_id, e.contact_id) AS contact, count(*) AS events
          FROM event e
          LEFT JOIN merged_contact m ON m.account_id = {account} AND m.contact_id = e.contact_id
         WHERE {where}
         GROUP BY period, e.kind{groups}, contact) AS each_contact
 GROUP BY period, kind{groups}
