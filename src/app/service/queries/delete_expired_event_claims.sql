SELECT delete_expired_event_claims($1::integer) AS count
