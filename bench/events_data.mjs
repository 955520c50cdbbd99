// Events for a bench, in SQL.
import { idOf } from './contacts_data.mjs';

export const columns = 'account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload';
// An event of contact `n`.
export const eventOf = (account, n) => `${account}, gen_random_uuid(), (${n}) % 1024, ${idOf(`(${n})`)}, 'custom.cart', 1, now(), 'all', 0, 'bench',
  '{"cartId":"c-1","total":"39.80"}'::jsonb`;
// So many of them, of so many contacts.
export const insertEvents = (account, count, people) =>
  `INSERT INTO event (${columns}) SELECT ${eventOf(account, `1 + n % ${people}`)} FROM generate_series(1::bigint, ${count}::bigint) AS n`;
