-- timeout: 12000ms
INSERT INTO consent (account_id, contact_id, channel, status, at, source, ip, user_agent, wording, method)
SELECT $1::bigint, new.*
  FROM unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::text[], $7::text[], $8::text[], $9::text[],
              $10::text[]) AS new
ON CONFLICT DO NOTHING
