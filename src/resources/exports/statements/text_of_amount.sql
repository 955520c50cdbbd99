-- As the API writes amounts: all digits, at least the currency's.
round({amount}, greatest(scale(trim_scale({amount})), r.digits))::text
