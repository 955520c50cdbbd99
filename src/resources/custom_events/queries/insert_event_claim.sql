WITH claimed AS (
  INSERT INTO event_claim (account_id, key_hash, content_hash, uid, contact_id)
  VALUES ($1::bigint, $2::uuid, $3::uuid, $4::uuid, $5::uuid)
  ON CONFLICT (account_id, key_hash) DO NOTHING
  RETURNING 1
)
SELECT require(EXISTS (SELECT FROM claimed), 'SB001', 'another request has taken the event id')
