-- Identifies one incarnation of the database: it differs after a restore or failover.
SELECT format('%s.%s.%s', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
              (SELECT oid FROM pg_database WHERE datname = current_database())) AS incarnation
