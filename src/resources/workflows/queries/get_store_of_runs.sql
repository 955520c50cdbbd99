SELECT name, url, time_zone, currency, locale, country FROM account WHERE account_id = $1::bigint
