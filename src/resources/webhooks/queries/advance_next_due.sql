-- timeout: 4000ms
SELECT webhook_id, next_due_at, is_due FROM advance_next_due($1::bigint[], $2::uuid[])
