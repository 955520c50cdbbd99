{purchases} LEFT JOIN contact c ON c.account_id = p.account_id AND c.contact_id = p.contact_id
