-- The ids of contacts that were merged into this one.
SELECT m.contact_id AS id, {merged_at} AS "mergedAt"
  FROM merged_contact m
 WHERE m.account_id = {account} AND m.into_id = {contact}::uuid
 ORDER BY m.merged_at, m.contact_id
