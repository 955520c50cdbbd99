INSERT INTO suppression AS s (account_id, channel, address_hash, reason, at)
VALUES ($1::bigint, $2, $3::bytea, $4, $5::timestamptz)
ON CONFLICT (account_id, channel, address_hash) DO UPDATE
   SET at = greatest(s.at, excluded.at),
       reason = CASE WHEN s.reason = 'complained' THEN s.reason ELSE excluded.reason END
