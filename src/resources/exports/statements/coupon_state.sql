CASE WHEN c.redeemed THEN 'redeemed' WHEN c.claim_id IS NOT NULL THEN 'assigned' ELSE 'available' END
