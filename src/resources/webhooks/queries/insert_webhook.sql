INSERT INTO webhook (account_id, webhook_id, url, description, kinds, headers, signing_secret, state, reason, created_at,
                     updated_at)
VALUES ($1::bigint, $2::uuid, $3, $4, $5::text[], $6::jsonb, $7::bytea, $8, $9, $10::timestamptz, $10::timestamptz)
