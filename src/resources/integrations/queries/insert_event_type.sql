INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias, fields, additional_members, url,
                        headers, signing_secret, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3::uuid, $4, $5, $6, $7::jsonb, $8, $9, $10::jsonb, $11::bytea, $12::timestamptz,
        $12::timestamptz)
