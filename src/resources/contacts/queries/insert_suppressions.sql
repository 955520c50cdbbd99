INSERT INTO suppression AS s (account_id, channel, address_hash, reason, at)
SELECT $1::bigint, new.* FROM unnest($2::text[], $3::bytea[], $4::text[], $5::timestamptz[]) AS new
ON CONFLICT (account_id, channel, address_hash) DO UPDATE
   SET at = greatest(s.at, excluded.at),
       reason = CASE WHEN s.reason = 'complained' THEN s.reason ELSE excluded.reason END
