// Products over the API: creating, changing and deleting them, and their events.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { expectProblem, faults, newStore, psql } from './support.ts';

type Product = Schemas['Product'];

const { send, account } = newStore('Products');
let count = 0;
const some = () => `bell-${++count}`;
const at = (id: string) => `/products/product-id/${encodeURIComponent(id)}`;
const bell = { name: 'Bell, brass', url: 'https://shop.example.com/bell' };

async function patch(id: string, body: object, headers = {}): Promise<Product> {
  const response = await send('PATCH', at(id), body, headers);
  assert([200, 201].includes(response.status), `${response.status} ${await response.clone().text()}`);
  return (await response.json()) as Product;
}

const events = (id: string) =>
  psql(`SELECT json_build_object('kind', kind, 'payload', payload) FROM event
        WHERE account_id = ${account} AND subject = '${id}' ORDER BY id`)
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { kind: string; payload: Record<string, unknown> });
const kinds = (id: string) => events(id).map(({ kind }) => kind);

test('a product is created by a patch, read in both ways, and deleted', async () => {
  const id = some();
  await expectProblem(await send('GET', at(id)), 404, 'not-found');
  const made = await send('PATCH', at(id), { ...bell, price: 19.9, originalPrice: '24.90' });
  assert.equal(made.status, 201);
  assert.equal(made.headers.get('location'), at(id));
  const product = (await made.json()) as Product;
  assert.deepEqual(
    [product.productId, product.price, product.currency, product.discount],
    [id, '19.90', 'EUR', { amount: '5.00', percent: '20.080321' }],
  );
  for (const path of [at(id), `/products/${product.id}`]) {
    const read = await send('GET', path);
    assert.deepEqual([read.status, await read.json()], [200, product]);
    assert.equal(read.headers.get('etag'), made.headers.get('etag'));
  }
  assert.equal((await send('PATCH', at(id), bell)).status, 200);
  assert.deepEqual(kinds(id), ['product.created']); // an identical patch changes nothing
  assert.equal((await send('DELETE', `/products/${product.id}`)).status, 204);
  await expectProblem(await send('DELETE', at(id)), 404, 'not-found');
  assert.deepEqual(kinds(id), ['product.created', 'product.deleted']);
});

test('all missing and invalid members are reported at once', async () => {
  const id = some();
  const problem = await faults(
    await send('PATCH', at(id), { price: -1, rating: 6, variants: { a: { stock: 'x' } }, colour: 1 }),
  );
  assert.deepEqual(problem.sort(), [
    '/colour unknown-member',
    '/name required',
    '/price out-of-range',
    '/rating out-of-range',
    '/url required',
    '/variants/a/stock wrong-type',
  ]);
  await expectProblem(await send('PATCH', at(id), { ...bell, price: '1.1234567' }), 422, 'invalid-body');
  await expectProblem(await send('GET', '/products/no-uuid'), 404, 'not-found');
  await expectProblem(await send('PATCH', at(id), bell, { 'if-match': '*' }), 412, 'precondition-failed');
});

test('a patch changes only the variants it contains', async () => {
  const id = some();
  await patch(id, { ...bell, variants: { s: { price: '10', stock: 0 }, m: { price: '11' } } });
  const changed = await patch(id, { variants: { s: { stock: 3 }, m: null, l: { price: 12.5 } } });
  assert.deepEqual(Object.keys(changed.variants), ['l', 's']);
  assert.deepEqual([changed.variants.s!.price, changed.variants.s!.stock], ['10.00', 3]);
  assert.deepEqual(kinds(id), ['product.created', 'product.updated', 'product.back-in-stock']);
  assert.deepEqual(events(id)[1]!.payload.changed, ['variants.l', 'variants.s', 'variants.m']);
  assert.deepEqual(events(id)[2]!.payload, { productId: id, variantId: 's' });
});

test('a price drop and a return to stock each create one event', async () => {
  const id = some();
  await patch(id, { ...bell, price: '20', availability: 'outOfStock', stock: 5 });
  await patch(id, { price: '15' });
  await patch(id, { availability: 'inStock' });
  await patch(id, { price: '16' });
  await patch(id, { currency: 'USD', price: '10' }); // prices in another currency are not compared
  assert.deepEqual(kinds(id), [
    'product.created',
    'product.updated',
    'product.price-dropped',
    'product.updated',
    'product.back-in-stock',
    'product.updated',
    'product.updated',
  ]);
  assert.deepEqual(events(id)[2]!.payload, {
    productId: id,
    variantId: null,
    from: '20.00',
    to: '15.00',
    currency: 'EUR',
    percent: '25',
  });
});

test('an outdated write changes nothing', async () => {
  const id = some();
  await patch(id, { ...bell, sourceUpdatedAt: '2026-01-02T00:00:00Z' });
  const late = await send('PATCH', at(id), { name: 'Old', sourceUpdatedAt: '2026-01-01T00:00:00Z' });
  assert.equal(late.headers.get('shopbell-applied'), 'stale');
  assert.equal(((await late.json()) as Product).name, bell.name);
});

test('if the store has domains, product URLs must be on them', async () => {
  const shop = newStore('Domains');
  await shop.send('PATCH', '/manage/store', { domains: ['example.com'] });
  const put = (url: string) => shop.send('PATCH', at('x'), { name: 'x', url });
  await expectProblem(await put('https://elsewhere.org/x'), 422, 'url-domain');
  await expectProblem(await put('https://badexample.com/x'), 422, 'url-domain');
  assert.equal((await put('https://shop.example.com/x')).status, 201);
});

test('lists: newest first, by pages, and by name', async () => {
  const shop = newStore('Product lists');
  for (const name of ['Apple', 'Bell one', 'Bell two', 'bell three', 'Cup'])
    await shop.send('PATCH', at(name), { name, url: bell.url });
  const names = async (query: string) => {
    const all: string[] = [];
    for (let cursor = ''; ;) {
      const page = await (await shop.send('GET', `/manage/products/?limit=2${query}${cursor}`)).json();
      all.push(...page.data.map((product: Product) => product.name));
      if (!page.nextCursor) return all;
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  assert.deepEqual(await names(''), ['Cup', 'bell three', 'Bell two', 'Bell one', 'Apple']);
  assert.deepEqual(await names('&order=asc'), ['Apple', 'Bell one', 'Bell two', 'bell three', 'Cup']);
  assert.deepEqual(await names('&q=BELL'), ['Bell one', 'bell three', 'Bell two']);
  await expectProblem(await shop.send('GET', '/manage/products/?q=%20'), 422, 'invalid-parameter');
});

test('concurrent writes to one product lose nothing', async () => {
  const id = some();
  await patch(id, bell);
  await Promise.all(Array.from({ length: 30 }, (_, i) => patch(id, { variants: { [`v${i}`]: { stock: i } } })));
  const product = (await (await send('GET', at(id))).json()) as Product;
  assert.equal(Object.keys(product.variants).length, 30);
});
