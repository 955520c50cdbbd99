{purchases}
  LEFT JOIN contact c ON c.account_id = p.account_id AND c.contact_id = p.contact_id
  LEFT JOIN purchase_attribution a
    ON a.account_id = p.account_id AND a.store_id = p.store_id AND a.purchase_id = p.purchase_id
