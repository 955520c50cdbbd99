-- Events of the contact and of contacts that were merged into it.
e.contact_id IN (SELECT {contact}::uuid
                  UNION ALL
                 SELECT m.contact_id
                   FROM merged_contact m
                  WHERE m.account_id = {account} AND m.into_id = {contact}::uuid)
