-- The transaction is not visible in the snapshot of the watermark. The first comparison, with the oldest transaction of
-- the snapshot, can use an index.
{xid} >= '{oldest}'::xid8 AND NOT pg_visible_in_snapshot({xid}, '{snapshot}'::pg_snapshot)
