-- One life of the database: a copy that was restored or took over is another.
SELECT format('%s.%s.%s', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8),
              (SELECT oid FROM pg_database WHERE datname = current_database())) AS incarnation
