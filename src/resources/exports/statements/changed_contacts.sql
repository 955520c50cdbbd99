-- Purchases change the totals of their buyer. A handover event means that a contact was merged.
SELECT DISTINCT e.contact_id
  FROM event e
 WHERE e.contact_id IS NOT NULL AND (e.kind LIKE 'contact.%' OR e.kind LIKE 'purchase.%' OR e.kind = {handover})
   AND {changed}
