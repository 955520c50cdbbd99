-- The event's payload, unless its contact was erased: cleanup removes payloads only later.
CASE WHEN NOT EXISTS (SELECT FROM erased_contact x WHERE x.account_id = e.account_id AND x.contact_id = e.contact_id)
     THEN e.payload
 END
