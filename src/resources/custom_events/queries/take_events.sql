-- Writes many events of one account. An event is written if its definitions are current, all its identifiers belong to
-- one contact, that contact was not erased lately, and its eventId is new. For all others only the outcome is returned:
-- the caller handles them one by one.
WITH sent AS (
  SELECT s.*
    FROM unnest($3::uuid[], $4::text[], $5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::bytea[], $10::bytea[],
                $11::timestamptz[], $12::text[], $13::jsonb[])
         WITH ORDINALITY AS s (uid, kind, key_hash, content_hash, email, external_id, email_hash, external_hash,
                               occurred_at, trigger, payload, ordinal)
), named AS (
  SELECT s.*, coalesce(x.contact_id, e.contact_id) AS contact_id, coalesce(x.lane, e.lane) AS lane,
         CASE WHEN coalesce((SELECT version FROM event_type_counter WHERE account_id = $1::bigint), 0) <> $2::bigint THEN 'types'
              WHEN (s.email IS NOT NULL AND e.contact_id IS NULL)
                OR (s.external_id IS NOT NULL AND x.contact_id IS NULL)
                OR e.contact_id <> x.contact_id
                OR EXISTS (SELECT FROM erasure r WHERE r.account_id = $1::bigint AND r.identifier_hash = s.email_hash)
                OR EXISTS (SELECT FROM erasure r WHERE r.account_id = $1::bigint AND r.identifier_hash = s.external_hash)
              THEN 'person' END AS trouble
    FROM sent s
    LEFT JOIN contact e ON e.account_id = $1::bigint AND e.email_key = s.email
    LEFT JOIN contact x ON x.account_id = $1::bigint AND x.external_id = s.external_id
), claimed AS (
  INSERT INTO event_claim (account_id, key_hash, content_hash, uid, contact_id)
  SELECT $1::bigint, key_hash, content_hash, uid, contact_id FROM named
   WHERE trouble IS NULL AND key_hash IS NOT NULL
   ORDER BY key_hash, ordinal
  ON CONFLICT (account_id, key_hash) DO NOTHING
  RETURNING uid
), written AS (
  INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
  SELECT $1::bigint, uid, lane, contact_id, kind, 1, coalesce(occurred_at, transaction_timestamp()), trigger, 0, 'api', payload
    FROM named
   WHERE trouble IS NULL AND (key_hash IS NULL OR uid IN (SELECT uid FROM claimed))
   ORDER BY ordinal
  RETURNING uid
)
SELECT n.ordinal, CASE WHEN w.uid IS NOT NULL THEN 'taken' ELSE coalesce(n.trouble, 'claimed') END AS outcome,
       n.contact_id, transaction_timestamp() AS received_at
  FROM named n
  LEFT JOIN written w USING (uid)
