-- transactional
-- A reader pages through the events of a batch by id; the events of one transaction are found by id, too. These indexes
-- are empty shells: the next migration builds them month by month, beside the writers.
CREATE INDEX event_id ON ONLY event (id);
CREATE INDEX event_xid_id ON ONLY event (xid, id);
