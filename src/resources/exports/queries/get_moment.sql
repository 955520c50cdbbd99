-- The incarnation of the database differs after a restore or failover.
SELECT pg_current_snapshot() AS snapshot, extract(epoch FROM now())::bigint AS taken,
       format('%s.%s.%s', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
              (SELECT oid FROM pg_database WHERE datname = current_database())) AS incarnation
