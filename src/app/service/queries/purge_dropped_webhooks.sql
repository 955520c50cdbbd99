SELECT purge_dropped_webhooks($1::integer) AS count
