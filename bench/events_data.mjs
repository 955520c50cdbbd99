// Events for a benchmark, in SQL.
import { idOf } from './contacts_data.mjs';

export const columns = 'account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload';
// The SELECT list of an event of contact `n`.
export const eventOf = (
  account,
  n,
) => `${account}, gen_random_uuid(), (${n}) % 1024, ${idOf(`(${n})`)}, 'custom.cart', 1, now(), 'all', 0, 'bench',
  '{"cartId":"c-1","total":"39.80"}'::jsonb`;
// Inserts `count` events of `people` contacts, starting after number `from`.
export const insertEvents = (account, count, people, from = '0') =>
  `INSERT INTO event (${columns}) SELECT ${eventOf(account, `1 + n % ${people}`)} FROM generate_series(${from} + 1::bigint, ${from} + ${count}::bigint) AS n`;
