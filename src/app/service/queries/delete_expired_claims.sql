SELECT delete_expired_claims($1::integer) AS count
