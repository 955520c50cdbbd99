-- The rows of purchases_over_time without groups: every currency has one for every period, even without sales.
{periods} CROSS JOIN {currencies} LEFT JOIN counted USING (period, currency)
