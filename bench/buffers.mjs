// Measures bench/buffers at both sizes. Needs the environment of `tools/try --exec`.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { fill, idOf } from './contacts_data.mjs';
import { PostgreSQL, stopAll } from './engines.mjs';
import { fillCodes, fillEvents, fillProducts, fillPurchases } from './objects_data.mjs';
import { queriesOf } from './queries.mjs';
import { say, wholeNumber } from './rounds.mjs';

const slices = ['products', 'purchases', 'custom_events', 'coupons', 'integrations', 'templates', 'workflows'];
// Pages that a query may read more with many rows: each index may be two levels deeper, and a list reads up to 51 rows.
const allowedOf = (name) => (/\.(list|search)_/.test(name) ? 2 * 4 + 51 * 2 : 2 * 8);

const mostCodes = 999_000; // a coupon set holds at most a million codes, and the benchmark adds some later

const { values: options } = parseArgs({
  options: { few: { type: 'string' }, many: { type: 'string' }, quick: { type: 'boolean', default: false } },
});
const few = wholeNumber(options, 'few', options.quick ? 1_000 : 10_000, 10_000_000);
const many = wholeNumber(options, 'many', options.quick ? 5_000 : 1_000_000, 10_000_000);

const { SHOPBELL_URL: url, SHOPBELL_KEY: key } = process.env;

async function ask(method, path, body, type = 'application/json') {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': type }) },
    body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text ? JSON.parse(text) : {};
}
const each = async (method, paths) => {
  for (const path of paths) await ask(method, path);
};
const bothOrders = (path) => ['desc', 'asc'].map((order) => `${path}${path.includes('?') ? '&' : '?'}order=${order}`);

async function useProducts(tag, n) {
  const path = `/products/product-id/new-${tag}`;
  const { id } = await ask('PATCH', path, { name: 'New', url: 'https://shop.example.com/n', price: '1' });
  await ask('PATCH', path, { price: '2' });
  await each('GET', [
    path,
    `/products/${id}`,
    `/products/product-id/p${n}`,
    '/manage/products/?q=bell%201',
    ...bothOrders('/manage/products/'),
  ]);
  await each('DELETE', [path]);
}

async function usePurchases(tag, n, contactId) {
  const lines = [{ productId: `p${n}`, quantity: 1, unitPrice: '5' }];
  const order = (total) => ({
    purchaseId: `new-${tag}`,
    contact: { externalId: `x${n}` },
    currency: 'EUR',
    total,
    lines,
    couponCodes: [`CODE-${n}`],
  });
  const { id } = await ask('POST', '/purchases/', order('5'));
  await ask('POST', '/purchases/?ifExists=replace', order('6'));
  await each('GET', [
    `/purchases/${id}`,
    `/purchases/purchase-id/o${n}`,
    '/manage/purchases/?q=o1',
    ...bothOrders('/manage/purchases/'),
    ...bothOrders('/manage/purchases/?status=paid'),
    ...bothOrders(`/manage/purchases/?contactId=${contactId}`),
  ]);
  await each('DELETE', [`/purchases/${id}`]);
}

async function useEvents(tag, n) {
  const integration = `/custom-integrations/${(await ask('POST', '/custom-integrations/', { name: `Shop ${tag}` })).id}`;
  await ask('PATCH', integration, { name: `Web shop ${tag}` });
  const types = `${integration}/custom-event-types/`;
  const { id } = await ask('POST', types, {
    name: 'Cart',
    direction: 'receive',
    alias: `cart-${tag}`,
    fields: [{ id: 'cartId', name: 'Cart', type: 'text' }],
  });
  const event = { eventId: `e-${tag}`, contact: { externalId: `x${n}` }, payload: { cartId: 'c' } };
  const path = `/custom-events/alias/cart-${tag}`;
  await ask('POST', path, event);
  await ask('POST', path, event);
  await ask('POST', `/custom-events/id/${id}?updateContact=true`, {
    ...event,
    eventId: `u-${tag}`,
    contact: { ...event.contact, firstName: tag },
  });
  await ask(
    'POST',
    path,
    [1, 2, 3].map((i) => JSON.stringify({ ...event, eventId: `l-${tag}-${i}` })).join('\n'),
    'application/x-ndjson',
  );
  await ask('PATCH', `/manage/custom-event-types/${id}`, { name: 'Basket' });
  await each('GET', [integration, `${types}${id}`, ...bothOrders(types), ...bothOrders('/custom-integrations/')]);
  return { typePath: `${types}${id}`, integration };
}

async function useCoupons(tag, set) {
  const small = await ask('POST', '/manage/coupon-sets/', { alias: `small-${tag}`, name: 'Small', kind: 'unique' });
  await ask('PATCH', `/manage/coupon-sets/${small.id}`, { name: 'Smaller' });
  await ask('POST', `/manage/coupon-sets/${set}/codes`, { codes: [`NEW-${tag}`] });
  await each('GET', [
    `/coupon-sets/${set}`,
    '/coupon-sets/big',
    ...bothOrders('/coupon-sets/'),
    ...bothOrders('/manage/coupon-sets/'),
    ...bothOrders(`/manage/coupon-sets/${set}/codes`),
  ]);
  await each('DELETE', [`/manage/coupon-sets/${small.id}`]);
}

async function useWorkflows(tag) {
  const template = await ask('POST', '/manage/templates/', { alias: `hello-${tag}`, name: 'Hello' });
  const definition = {
    alias: `flow-${tag}`,
    name: 'Flow',
    trigger: { event: 'contact.created' },
    nodes: [{ id: 'end', type: 'exit' }],
  };
  const { id } = await ask('POST', '/manage/workflows/', definition);
  await ask('PUT', `/manage/workflows/${id}/draft`, { ...definition, name: 'Stream' });
  await each('GET', [
    `/manage/workflows/${id}/draft`,
    `/workflows/${id}`,
    ...bothOrders('/workflows/'),
    ...bothOrders('/manage/workflows/'),
    `/manage/templates/${template.id}`,
    ...bothOrders('/manage/templates/'),
  ]);
  await each(
    'POST',
    ['publish', 'pause', 'resume', 'finish'].map((action) => `/manage/workflows/${id}/${action}`),
  );
  await each('DELETE', [`/manage/templates/${template.id}`]);
}

// Calls every operation several times on objects in the middle of the table. Returns the pages read per call and query.
async function pagesPerCall(database, rows, set, contactIdOf) {
  const rounds = 5;
  database.ask('SELECT pg_stat_statements_reset()');
  for (let round = 1; round <= rounds; ++round) {
    const tag = `${rows}-${round}`;
    const n = Math.floor(rows / 2) + round;
    await useProducts(tag, n);
    await usePurchases(tag, n, contactIdOf(n));
    await useCoupons(tag, set);
    await useWorkflows(tag);
    const { typePath, integration } = await useEvents(tag, n);
    await each('DELETE', [typePath, integration]);
  }
  const told = database.ask(`SELECT substring(query from '^/\\* ([a-z_.]+) \\*/') || ' ' ||
      round((sum(shared_blks_hit + shared_blks_read) / sum(calls))::numeric, 1)
    FROM pg_stat_statements WHERE query LIKE '/* %' GROUP BY substring(query from '^/\\* ([a-z_.]+) \\*/') ORDER BY 1`);
  return Object.fromEntries(
    told
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([name]) => slices.includes(name.split('.')[0]))
      .map(([name, pages]) => [name, Number(pages)]),
  );
}

function compare(small, large) {
  let grown = 0;
  console.log(`pages read per call, with ${few} and with ${many} rows`);
  for (const [name, before] of Object.entries(small)) {
    const mark = large[name] - before > allowedOf(name) ? ' GROWN' : '';
    if (mark) ++grown;
    console.log(`  ${name.padEnd(48)} ${String(before).padStart(8)} ${String(large[name]).padStart(8)}${mark}`);
  }
  const all = slices.flatMap((slice) => Object.keys(queriesOf(slice)).map((name) => `${slice}.${name}`));
  const unused = all.filter((name) => !(name in small));
  console.log(
    `${Object.keys(small).length} of ${all.length} queries compared, ${grown} read more than their indexes grew`,
  );
  if (unused.length > 0) console.log(`not used here: ${unused.join(', ')}`);
  return grown;
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  database.ask('CREATE EXTENSION IF NOT EXISTS pg_stat_statements');
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  const { id } = await ask('GET', '/store/');
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const { id: set } = await ask('POST', '/manage/coupon-sets/', { alias: 'big', name: 'Big', kind: 'unique' });
  const contactIdOf = (n) => database.ask(`SELECT ${idOf(n)}`);
  const fillUp = (from, to) => {
    say(`filling ${to} of everything`);
    for (let at = from; at <= to; at += 250_000) {
      const until = Math.min(to, at + 249_999);
      for (const some of [fill, fillProducts, fillPurchases]) some(database, account, at, until);
      if (at < mostCodes) fillCodes(database, account, set, at, Math.min(until, mostCodes));
    }
    fillEvents(database, account, to, to - from + 1);
    database.ask('VACUUM ANALYZE');
  };
  fillUp(1, few);
  const small = await pagesPerCall(database, few, set, contactIdOf);
  fillUp(few + 1, many);
  await sleep(1000); // by now the service has closed idle connections
  const large = await pagesPerCall(database, many, set, contactIdOf);
  if (compare(small, large) > 0) process.exitCode = 1;
} catch (error) {
  say(`bench/buffers: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
