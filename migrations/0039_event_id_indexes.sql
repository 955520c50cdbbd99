-- online
-- Builds the indexes of the previous migration for every month that exists. A build that was interrupted is repeated.
-- each row
SELECT format('CREATE INDEX CONCURRENTLY IF NOT EXISTS %I ON %s (%s)', c.relname || '_' || k.name || '_idx',
              c.oid::regclass, k.columns) AS statement
  FROM pg_inherits m JOIN pg_class c ON c.oid = m.inhrelid
 CROSS JOIN (VALUES ('id', 'id'), ('xid_id', 'xid, id')) AS k (name, columns)
 WHERE m.inhparent = 'event'::regclass
 ORDER BY c.relname DESC, k.name
