SELECT content_hash, uid, contact_id, made_at FROM event_claim
 WHERE account_id = $1::bigint AND key_hash = $2::uuid
