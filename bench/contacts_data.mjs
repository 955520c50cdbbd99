// Contacts for a benchmark: contact n has the address personN@example.com, the external id xN and an id derived from n.

// The id of contact `n`, in SQL; higher numbers have later ids, like the service's own.
export const idOf = (n) => `(substr(lpad(to_hex(1700000000000 + ${n}), 12, '0'), 1, 8) || '-' ||
  substr(lpad(to_hex(1700000000000 + ${n}), 12, '0'), 9, 4) || '-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`;

export function fill(database, account, from, to) {
  database.ask(`
    INSERT INTO contact (account_id, contact_id, lane, email, email_key, external_id, first_name, last_name, name_key,
                         surname_key, tags, email_subscription, event_seq, version, created_at, updated_at)
    SELECT ${account}, ${idOf('n')}, n % 1024, 'Person' || n || '@example.com', 'person' || n || '@example.com', 'x' || n,
           'Eva ' || n, 'Bell ' || n, 'eva ' || n || ' bell ' || n, 'bell ' || n || ' eva ' || n, ARRAY['t' || n % 1000],
           'none', 1, 1, now() - n * interval '1 second', now() - n * interval '1 second'
      FROM generate_series(${from}::bigint, ${to}::bigint) AS n;
    INSERT INTO contact_facet (account_id, facet, value, contact_id)
    SELECT ${account}, 0, 't' || n % 1000, ${idOf('n')} FROM generate_series(${from}::bigint, ${to}::bigint) AS n
    UNION ALL
    SELECT ${account}, -1, 'none', ${idOf('n')} FROM generate_series(${from}::bigint, ${to}::bigint) AS n;
    INSERT INTO event (account_id, uid, lane, contact_id, contact_seq, kind, format, occurred_at, trigger, hops, source, payload)
    SELECT ${account}, gen_random_uuid(), n % 1024, ${idOf('n')}, 1, 'contact.created', 1, now(), 'none', 0, 'bench', '{}'
      FROM generate_series(${from}::bigint, ${to}::bigint) AS n`);
  database.ask('VACUUM ANALYZE contact, contact_facet, event');
  database.ask('CHECKPOINT');
}
