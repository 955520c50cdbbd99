// Purchases over the API: creating and changing them, and the contacts' totals.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { ask, expectProblem, faults, newStore, psql, shopbell } from './support.ts';

type Purchase = Schemas['Purchase'];
type Contact = Schemas['Contact'];

const { send, account } = newStore('Purchases');
let count = 0;
const some = () => `order-${++count}`;
const someone = () => `buyer-${++count}@example.com`;
const line = { productId: 'bell-1', name: 'Bell', quantity: 2, unitPrice: '19.90', total: '39.80' };
const order = (more: Record<string, unknown> = {}) => ({
  purchaseId: some(),
  currency: 'EUR',
  total: '39.80',
  lines: [line],
  ...more,
});
const by = (id: string) => `/purchases/purchase-id/${encodeURIComponent(id)}`;
const post = (body: object, query = '', headers = {}) => send('POST', `/purchases/${query}`, body, headers);

async function create(body: object, query = '?createContact=true'): Promise<Purchase> {
  const response = await post(body, query);
  assert([200, 201].includes(response.status), `${response.status} ${await response.clone().text()}`);
  return (await response.json()) as Purchase;
}
const contact = async (email: string): Promise<Contact> =>
  (await (await send('GET', `/contacts/email/${email}`)).json()) as Contact;
const totals = async (email: string) => {
  const { count, totalAmount, averageAmount } = (await contact(email)).purchases;
  return [count, totalAmount, averageAmount];
};
const kinds = (id: string) =>
  psql(`SELECT kind FROM event WHERE account_id = ${account} AND subject = '${id}' ORDER BY id`)
    .split('\n')
    .filter(Boolean)
    .map((kind) => kind.replace('purchase.', ''));

test('a purchase is created, read in both ways, sent again and deleted', async () => {
  const email = someone();
  const body = order({ contact: { email, firstName: 'Eva' } });
  await expectProblem(await post(body), 422, 'contact-not-found');
  const made = await post(body, '?createContact=true');
  assert.equal(made.status, 201);
  const purchase = (await made.json()) as Purchase;
  assert.equal(made.headers.get('location'), `/purchases/${purchase.id}`);
  assert.deepEqual(
    [purchase.quantity, purchase.netTotal, purchase.refundedTotal, purchase.status],
    ['2', '39.80', '0.00', 'placed'],
  );
  assert.equal('contact' in purchase, false);
  const person = await contact(email);
  assert.deepEqual([person.id, person.firstName], [purchase.contactId, 'Eva']);
  for (const path of [by(body.purchaseId), `/purchases/${purchase.id}`])
    assert.deepEqual(await (await send('GET', path)).json(), purchase);
  const { purchaseId, ...rest } = body;
  // The same purchase, with members in another order and the total as a number.
  const again = await post({ ...rest, total: 39.8, purchaseId });
  assert.deepEqual([again.status, await again.json()], [200, purchase]);
  await expectProblem(await post({ ...body, total: '40' }), 409, 'purchase-exists');
  assert.deepEqual(await totals(email), [1, '39.80', '39.80']);
  assert.equal((await send('DELETE', by(purchaseId))).status, 204);
  assert.deepEqual(await totals(email), [0, '0.00', null]);
  assert.deepEqual(kinds(purchaseId), ['created', 'deleted']);
  await expectProblem(await send('DELETE', `/purchases/${purchase.id}`), 404, 'not-found');
});

test('all faults are reported at once; inconsistent sums only cause warnings', async () => {
  const problem = await faults(
    await post({ currency: 'Euro', total: 'much', lines: [{ quantity: [] }], status: 'lost' }),
  );
  assert.deepEqual(problem.sort(), [
    '/currency too-long',
    '/lines/0/quantity wrong-type',
    '/purchaseId required',
    '/status not-an-option',
    '/total invalid-format',
  ]);
  const empty = await faults(await post(order({ lines: [] })));
  assert.deepEqual(empty, ['/lines too-short']);
  const free = await faults(await post({ ...order({ subtotal: '30', storeTotal: '30' }), total: null }));
  assert.deepEqual(free, ['/total required']);
  const nobody = await faults(await post(order({ contact: {} })));
  assert.deepEqual(nobody, ['/contact required']);
  const junk = await faults(await post(order({ contact: { email: someone(), phone: 'x' } }), '?createContact=true'));
  assert.deepEqual(junk, ['/contact/phone invalid-format']);
  const odd = await create(order({ subtotal: '30', shipping: '5' }), '');
  assert.deepEqual(
    odd.warnings?.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/subtotal conflicts-with', '/total conflicts-with'],
  );
  assert.equal(odd.contactId, null);
});

test('a purchase is paid, fulfilled and partly refunded, with one event each', async () => {
  const email = someone();
  const body = order({ contact: { email } });
  const replace = (more: object) => create({ ...body, ...more }, '?ifExists=replace');
  const { id } = await create(body);
  await replace({ status: 'paid' });
  await replace({ status: 'fulfilled' });
  await replace({ status: 'paid' });
  const refunds = [{ refundId: 'r1', amount: '9.80' }];
  const refunded = await replace({ status: 'partiallyRefunded', refunds });
  assert.deepEqual([refunded.id, refunded.netTotal], [id, '30.00']);
  assert.deepEqual(await totals(email), [1, '30.00', '30.00']);
  await replace({ status: 'refunded', refunds: [...refunds, { refundId: 'r2', amount: 30 }] });
  assert.deepEqual(await totals(email), [1, '0.00', '0.00']);
  await replace({ status: 'cancelled' });
  assert.deepEqual(await totals(email), [0, '0.00', null]);
  assert.deepEqual(kinds(body.purchaseId), [
    'created',
    'updated',
    'paid',
    'updated',
    'fulfilled',
    'updated',
    'updated',
    'refunded',
    'updated',
    'refunded',
    'updated',
    'cancelled',
  ]);
  await expectProblem(
    await post({ ...body, refunds: [{ refundId: 'x', amount: 100 }] }, '?ifExists=replace'),
    422,
    'invalid-body',
  );
});

test('other currencies count with the store’s converted total', async () => {
  const email = someone();
  const buy = (more: object) => create(order({ contact: { email }, ...more }));
  await buy({ total: '10.10' });
  await buy({ total: '30', currency: 'USD', storeTotal: '20', refunds: [{ refundId: 'r', amount: '10' }] });
  await buy({ total: '1000', currency: 'JPY' });
  const { purchases } = await contact(email);
  assert.deepEqual([purchases.count, purchases.totalAmount], [2, '23.433333']);
  assert.deepEqual(purchases.byCurrency, [
    { currency: 'EUR', count: 1, total: '10.10' },
    { currency: 'JPY', count: 1, total: '1000' },
    { currency: 'USD', count: 1, total: '20.00' },
  ]);
});

test('the first and the last time follow the remaining purchases', async () => {
  const email = someone();
  const ids = [];
  for (const day of ['03', '01', '02'])
    ids.push((await create(order({ contact: { email }, purchasedAt: `2026-01-${day}T00:00:00Z` }))).id);
  const span = async () => {
    const { firstAt, lastAt } = (await contact(email)).purchases;
    return [firstAt?.slice(8, 10), lastAt?.slice(8, 10)];
  };
  assert.deepEqual(await span(), ['01', '03']);
  await send('DELETE', `/purchases/${ids[1]}`);
  assert.deepEqual(await span(), ['02', '03']);
  await send('DELETE', `/purchases/${ids[0]}`);
  assert.deepEqual(await span(), ['02', '02']);
});

test('a purchase can move to another contact, and lose its contact', async () => {
  const [first, second] = [someone(), someone()];
  const body = order({ contact: { email: first } });
  await create(body);
  const moved = await create({ ...body, contact: { email: second } }, '?ifExists=replace&createContact=true');
  assert.deepEqual(
    [await totals(first), await totals(second)],
    [
      [0, '0.00', null],
      [1, '39.80', '39.80'],
    ],
  );
  assert.equal(moved.contactId, (await contact(second)).id);
  const { contact: _, ...without } = body as Record<string, unknown>;
  const kept = await create({ ...without, status: 'paid' }, '?ifExists=replace');
  assert.equal(kept.contactId, moved.contactId);
  assert.equal((await create({ ...body, contact: null }, '?ifExists=replace')).contactId, null);
  assert.deepEqual(await totals(second), [0, '0.00', null]);
});

test('identifiers are added, conflicts reported, contacts merged', async () => {
  const email = someone();
  await create(order({ contact: { email } }));
  const externalId = `ext-${email}`;
  await create(order({ contact: { email, externalId, firstName: 'Eva' } }), '');
  const person = await contact(email);
  assert.deepEqual([person.externalId, person.firstName], [externalId, null]);
  await create(order({ contact: { externalId, firstName: 'Eva' } }), '?updateContact=true');
  assert.equal((await contact(email)).firstName, 'Eva');
  const other = someone();
  await create(order({ contact: { email: other } }));
  const both = order({ contact: { externalId, email: other } });
  await expectProblem(await post(both), 409, 'contact-identity-conflict');
  await create(both, '?mergeContacts=true');
  assert.deepEqual(await totals(email), [5, '199.00', '39.80']);
  const list = await (await send('GET', `/manage/purchases/?contactId=${person.id}`)).json();
  assert.equal(list.data.length, 5);
});

test('changing contacts needs the scope for it', async () => {
  const made = shopbell(['key', 'create', '--account', account, '--name', 'few', '--scopes', 'purchases:write']);
  const few = /^key=(\w+)$/m.exec(made.stdout)![1]!;
  const headers = { authorization: `Bearer ${few}`, 'content-type': 'application/json' };
  const sendFew = (query: string) =>
    ask(`/purchases/${query}`, { method: 'POST', headers, body: JSON.stringify(order()) });
  assert.equal((await sendFew('')).status, 201);
  for (const parameter of ['createContact', 'updateContact', 'mergeContacts'])
    await expectProblem(await sendFew(`?${parameter}=true`), 403, 'scope-missing');
});

test('an outdated purchase changes nothing; one of an erased person is rejected', async () => {
  const email = someone();
  const body = order({ contact: { email }, sourceUpdatedAt: '2026-01-02T00:00:00Z' });
  await create(body);
  const late = await post({ ...body, status: 'paid', sourceUpdatedAt: '2026-01-01T00:00:00Z' });
  assert.deepEqual([late.status, late.headers.get('shopbell-applied')], [200, 'stale']);
  const { id } = await contact(email);
  assert.equal((await send('DELETE', `/contacts/email/${email}`)).status, 204);
  const left = (await (await send('GET', by(body.purchaseId))).json()) as Purchase;
  assert.equal(left.contactId, null);
  const old = order({ contact: { email }, purchasedAt: '2026-01-01T00:00:00Z' });
  await expectProblem(await post(old, '?createContact=true'), 422, 'contact-erased');
  assert.notEqual((await create(order({ contact: { email } }))).contactId, id);
});

test('lists: by time, by status, by contact, by the store’s id', async () => {
  const shop = newStore('Purchase lists');
  const put = (n: number, more: object = {}) =>
    shop.send(
      'POST',
      '/purchases/?createContact=true',
      order({ purchaseId: `p-${n}`, purchasedAt: `2026-01-0${n}T00:00:00Z`, ...more }),
    );
  for (const n of [1, 2, 3, 4, 5])
    await put(n, { status: n % 2 ? 'paid' : 'placed', contact: n < 4 ? { email: 'eva@example.com' } : null });
  const ids = async (query: string) => {
    const all: string[] = [];
    for (let cursor = ''; ;) {
      const page = await (await shop.send('GET', `/manage/purchases/?limit=2${query}${cursor}`)).json();
      all.push(...page.data.map((purchase: Purchase) => purchase.purchaseId.slice(2)));
      if (!page.nextCursor) return all.join('');
      cursor = `&cursor=${page.nextCursor}`;
    }
  };
  const eva = (await (await shop.send('GET', '/contacts/email/eva@example.com')).json()).id;
  assert.equal(await ids(''), '54321');
  assert.equal(await ids('&order=asc'), '12345');
  assert.equal(await ids('&status=paid'), '531');
  assert.equal(await ids('&status=paid&order=asc'), '135');
  assert.equal(await ids(`&contactId=${eva}`), '321');
  assert.equal(await ids(`&contactId=${eva}&status=paid&order=asc`), '13');
  assert.equal(await ids('&from=2026-01-02T00:00:00Z&to=2026-01-04T00:00:00Z'), '32');
  assert.equal(await ids('&q=p-'), '12345');
  await expectProblem(await shop.send('GET', '/manage/purchases/?q=p&status=paid'), 422, 'invalid-parameter');
});

test('the store’s currency is fixed while it has purchases', async () => {
  const shop = newStore('Currency');
  const change = (currency: string) => shop.send('PATCH', '/manage/store', { currency });
  assert.equal((await change('USD')).status, 200);
  assert.equal((await shop.send('POST', '/purchases/', order())).status, 201);
  await expectProblem(await change('EUR'), 409, 'currency-in-use');
  assert.equal((await shop.send('PATCH', '/manage/store', { name: 'x', currency: 'USD' })).status, 200);
});

test('concurrent purchases of one contact add up', async () => {
  const email = someone();
  await create(order({ contact: { email } }));
  await Promise.all(Array.from({ length: 40 }, () => create(order({ contact: { email }, total: '0.10' }), '')));
  assert.deepEqual((await totals(email)).slice(0, 2), [41, '43.80']);
});

test('coupons are redeemed with the purchase, and released with it', async () => {
  const shop = newStore('Coupons of purchases');
  const set = await (
    await shop.send('POST', '/manage/coupon-sets/', { alias: 'ten', name: 'Ten', kind: 'unique' })
  ).json();
  await shop.send('POST', `/manage/coupon-sets/${set.id}/codes`, { codes: ['BELL-1', 'BELL-2'] });
  const redeemed = async () => (await (await shop.send('GET', '/coupon-sets/ten')).json()).redeemed;
  const body = order({ couponCodes: ['bell-1', 'unknown'] });
  const buy = async (more: object, query = '?ifExists=replace') =>
    assert([200, 201].includes((await shop.send('POST', `/purchases/${query}`, { ...body, ...more })).status));
  await buy({}, '');
  assert.equal(await redeemed(), 1);
  await buy({ couponCodes: ['BELL-1', 'BELL-2'] });
  assert.equal(await redeemed(), 2);
  await buy({ couponCodes: ['BELL-2'] });
  assert.equal(await redeemed(), 1);
  await buy({ couponCodes: ['BELL-2'], status: 'cancelled' });
  assert.equal(await redeemed(), 0);
  await buy({ couponCodes: ['BELL-2'] });
  assert.equal(await redeemed(), 1);
  assert.equal((await shop.send('DELETE', by(body.purchaseId))).status, 204);
  assert.equal(await redeemed(), 0);
});
