-- online
-- Schedules walk the contacts of one time zone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contact_zone ON contact (account_id, time_zone, contact_id)
