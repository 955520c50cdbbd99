SELECT name, url, time_zone, currency, locale, country, marketing_requires FROM account WHERE account_id = $1::bigint
