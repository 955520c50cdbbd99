-- Writes an amount as the API does: all its digits, and at least as many after the point as the currency has.
round({amount}, greatest(scale(trim_scale({amount})), r.digits))::text
