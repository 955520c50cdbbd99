-- Purchases with new events or a new attribution, purchases that moved to another contact or to none, and those of
-- contacts with a new email or externalId, because the rows contain these identifiers.
SELECT e.subject FROM event e WHERE e.kind LIKE 'purchase.%' AND {changed}
UNION
SELECT q.store_id FROM purchase q WHERE q.account_id = {account} AND {moved}
UNION
SELECT a.store_id FROM purchase_attribution a WHERE a.account_id = {account} AND {attributed}
UNION
SELECT q.store_id
  FROM purchase q
 WHERE q.account_id = {account}
   AND q.contact_id IN
         (SELECT e.contact_id
            FROM event e
           WHERE e.kind = 'contact.updated' AND e.payload->'changed' ?| '{email,externalId}' AND {changed})
