// Products, purchases and events for a benchmark: product n is pN in the store; purchase n is oN, of contact n.
import { idOf } from './contacts_data.mjs';

export const product = '{"name":"Bell","url":"https://shop.example.com/b","price":"19.90","currency":"EUR"}';
export const purchase = `{"purchaseId":"x","currency":"EUR","total":"39.80",
  "lines":[{"productId":"bell-1","quantity":"2","unitPrice":"19.90"}]}`;

const numbers = (from, to) => `FROM generate_series(${from}::bigint, ${to}::bigint) AS n`;

export function fillProducts(database, account, from, to) {
  database.ask(`INSERT INTO product (account_id, product_id, store_id, name_key, data, created_at, updated_at)
    SELECT ${account}, ${idOf('n')}, 'p' || n, 'bell ' || n, '${product}', now(), now() ${numbers(from, to)}`);
}

export function fillPurchases(database, account, from, to) {
  database.ask(`INSERT INTO purchase (account_id, purchase_id, store_id, contact_id, lane, purchased_at, status, currency,
      net_total, store_amount, data, content_hash, created_at, updated_at)
    SELECT ${account}, ${idOf('n')}, 'o' || n, ${idOf('n')}, 5, now() - n * interval '1 second', 'paid', 'EUR', 39.8, 39.8,
      '${purchase}', sha256('x'), now(), now() ${numbers(from, to)}`);
}

// Inserts `count` events, distributed in turn over the contacts 1 … people.
export function fillEvents(database, account, people, count) {
  for (let from = 0; from < count; from += 500_000) {
    database.ask(`INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
      SELECT ${account}, gen_random_uuid(), 5, ${idOf(`(1 + n * 7919 % ${people})`)}, 'custom.cart', 1, now(), 'all', 0, 'api',
        '{"cartId":"c-1"}' ${numbers(1, Math.min(500_000, count - from))}`);
  }
}

// Inserts a year of a store: events and purchases of the contacts 1 … people, evenly spread over the last 360 days.
export function fillYear(database, account, people, events, purchases) {
  database.ask(`DO $$ BEGIN
    FOR i IN 1..12 LOOP
      EXECUTE format('CREATE TABLE IF NOT EXISTS %I PARTITION OF event FOR VALUES FROM (%L) TO (%L)',
        to_char(date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => i), '"event_"YYYY_MM'),
        to_char(date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => i), 'YYYY-MM-DD"T"HH24:MI:SS"+00"'),
        to_char(date_trunc('month', now() AT TIME ZONE 'UTC') - make_interval(months => i - 1), 'YYYY-MM-DD"T"HH24:MI:SS"+00"'));
    END LOOP;
  END $$`);
  for (let from = 0; from < events; from += 500_000) {
    const at = `now() - interval '360 days' * (1 - n / ${events}.0)`;
    database.ask(`INSERT INTO event (account_id, received_at, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
      SELECT ${account}, ${at}, gen_random_uuid(), 5, ${idOf(`(1 + n * 7919 % ${people})`)},
        (ARRAY['custom.cart', 'contact.updated', 'purchase.created'])[1 + n % 3], 1, ${at}, 'all', 0, 'api', '{"cartId":"c-1"}'
        ${numbers(from + 1, Math.min(from + 500_000, events))}`);
  }
  database.ask(`INSERT INTO purchase (account_id, purchase_id, store_id, contact_id, lane, purchased_at, status, currency,
      net_total, store_amount, data, content_hash, created_at, updated_at)
    SELECT ${account}, ${idOf('n')}, 'o' || n, ${idOf(`(1 + n % ${people})`)}, 5, now() - interval '360 days' * (1 - n / ${purchases}.0),
      'paid', 'EUR', 39.8, 39.8, '${purchase}', sha256('x'), now(), now() ${numbers(1, purchases)}`);
}

export function fillCodes(database, account, set, from, to) {
  database.ask(`INSERT INTO coupon (account_id, code_key, coupon_set_id, code, shared, added_at)
      SELECT ${account}, 'code-' || n, '${set}', 'CODE-' || n, false, now() ${numbers(from, to)};
    SELECT count_coupons(${account}, '${set}', ${to - from + 1}, ${to - from + 1}, 0, 0)`);
}
