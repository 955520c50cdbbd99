SELECT transaction_timestamp() AS now
