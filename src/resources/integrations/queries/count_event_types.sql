SELECT count(*) AS event_types FROM event_type WHERE account_id = $1::bigint
