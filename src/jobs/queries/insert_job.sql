INSERT INTO job (account_id, job_id, kind, type, options, key_id, queued_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3, $4, $5::jsonb, $6::uuid, $7::timestamptz, $7::timestamptz)
