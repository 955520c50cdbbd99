SELECT count(*) AS count FROM schema_migration
