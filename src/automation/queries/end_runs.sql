-- timeout: 4000ms
-- Moves ended runs to the history. A run with seq 0 was not stored yet.
WITH ended AS (
  SELECT n.*
    FROM unnest($1::bigint[], $2::uuid[], $3::uuid[], $4::integer[], $5::text[], $6::uuid[], $7::integer[], $8::text[],
                $9::text[], $10::timestamptz[], $11::timestamptz[], $12::boolean[], $13::text[])
         AS n (account_id, contact_id, run_id, seq, trail, workflow_id, version, node, key, started_at, ended_at,
               converted, why)
), gone AS (
  DELETE FROM run r USING ended n
   WHERE n.seq > 0 AND r.account_id = n.account_id AND r.contact_id = n.contact_id AND r.run_id = n.run_id
     AND r.seq = n.seq
  RETURNING r.account_id, r.contact_id, r.run_id, r.trail
), added AS (
  INSERT INTO run_history (account_id, contact_id, run_id, workflow_id, version, node, key, started_at, ended_at,
                           converted, trail, why)
  SELECT n.account_id, n.contact_id, n.run_id, n.workflow_id, n.version, n.node, n.key, n.started_at, n.ended_at,
         n.converted, right(coalesce(g.trail, '') || n.trail, 8000), n.why
    FROM ended n
    LEFT JOIN gone g ON g.account_id = n.account_id AND g.contact_id = n.contact_id AND g.run_id = n.run_id
)
SELECT require((SELECT count(*) FROM gone) = (SELECT count(*) FROM ended WHERE seq > 0), 'SB001',
               'a run has changed meanwhile')
