INSERT INTO purchase (account_id, purchase_id, version, store_id, contact_id, lane, purchased_at, status, currency, net_total,
                      store_amount, data, content_hash, told, source_updated_at, created_at, updated_at)
VALUES ($1::bigint, $2::uuid, $3::bigint + 1, $4, $5::uuid, $6::smallint, $7::timestamptz, $8, $9, $10::numeric,
        $11::numeric, $12::jsonb, $13::bytea, $14::text[], $15::timestamptz, $16::timestamptz, $17::timestamptz)
