import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connect } from '../../console/client/index.ts';
import { ask, createAccount, createKey, key, key2, openapi, openapiDocument, psql, raw, url } from './support.ts';

const shopbell = connect({ url, key });
const uuid7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test('the store is what the operator created', async () => {
  const { data: store, response } = await shopbell.GET('/store/');
  assert(store);
  assert.equal(response.headers.get('content-type'), 'application/json');
  const { id, limits, usage, createdAt, updatedAt, ...rest } = store;
  assert.deepEqual(rest, {
    name: 'Bell & Daughters',
    url: 'https://bell.example',
    timeZone: 'Europe/Vienna',
    currency: 'EUR',
    locale: 'de-AT',
    country: 'AT',
    domains: [],
    marketingRequires: 'subscribed',
    sendLimits: { marketing: { perDay: null, perWeek: null } },
  });
  assert.match(id, uuid7);
  assert.deepEqual(
    { ...usage, asOf: null },
    { contacts: 0, products: 0, purchases: 0, eventsThisMonth: 0, asOf: null },
  );
  for (const time of [createdAt, updatedAt, usage.asOf]) assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal(limits.bodyBytes, 1024 * 1024);
});

test('the response has exactly the members of the schema', async () => {
  type Schema = { properties?: Record<string, Schema> };
  const members = (schema: Schema, path = ''): string[] =>
    Object.entries(schema.properties ?? {}).flatMap(([name, of]) => [
      `${path}/${name}`,
      ...members(of, `${path}/${name}`),
    ]);
  const found = (value: unknown, path = ''): string[] =>
    value === null || typeof value !== 'object' || Array.isArray(value)
      ? []
      : Object.entries(value).flatMap(([name, of]) => [`${path}/${name}`, ...found(of, `${path}/${name}`)]);
  const { data } = await shopbell.GET('/store/');
  const { warnings, ...properties } = openapi.components.schemas.Store.properties;
  assert(warnings); // only a lenient PATCH returns warnings
  assert.deepEqual(found(data).sort(), members({ properties }).sort());
});

test('each key gives access to its own account’s store', async () => {
  const [first, second] = await Promise.all([shopbell.GET('/store/'), connect({ url, key: key2 }).GET('/store/')]);
  assert.equal(second.data?.name, 'Another store');
  assert.notEqual(first.data?.id, second.data?.id);
  assert.notEqual(first.response.headers.get('etag'), second.response.headers.get('etag'));
});

test('If-None-Match with the current tag gets 304 and no body', async () => {
  const tag = (await ask('/store/')).headers.get('etag')!;
  assert.match(tag, /^"[^"]+"$/);
  for (const held of [tag, `W/${tag}`, `"other", ${tag}`, `"other",W/${tag} , "third"`, '*']) {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask('/store/', { method, headers: { 'if-none-match': held } });
      assert.equal(response.status, 304, held);
      assert.equal(response.headers.get('etag'), tag);
      assert.equal(response.headers.get('content-type'), null);
      assert.equal(await response.text(), '');
    }
  }
  for (const held of ['"other"', tag.slice(1, -1), '"*"']) {
    assert.equal((await ask('/store/', { headers: { 'if-none-match': held } })).status, 200, held);
  }
});

test('a list of tags may be split over several headers', async () => {
  const tag = (await ask('/store/')).headers.get('etag')!;
  const lines = ['GET /store/ HTTP/1.1', 'Host: x', `Authorization: Bearer ${key}`, 'Connection: close'];
  const [response] = await raw([...lines, 'If-None-Match: "other"', `If-None-Match: ${tag}`, '', ''].join('\r\n'));
  assert.equal(response?.status, 304);
});

test('the tag depends on the content, not on its time', async () => {
  const account = createAccount('Tags');
  const own = { headers: { authorization: `Bearer ${createKey(account, 'tags')}` } };
  const tag = async () => (await ask('/store/', own)).headers.get('etag');
  const before = await tag();
  psql(`UPDATE store_usage SET as_of = now() + '1 hour' WHERE account_id = ${account}`);
  assert.equal(await tag(), before, 'usage.asOf');
  psql(`UPDATE store_usage SET contacts = 7 WHERE account_id = ${account}`);
  const counted = await tag();
  assert.notEqual(counted, before, 'usage.contacts');
  psql(`UPDATE account SET updated_at = now() + '1 hour' WHERE account_id = ${account}`);
  assert.equal(await tag(), counted, 'updatedAt');
});

test('HEAD responds like GET without a body', async () => {
  const [get, head] = await Promise.all([ask('/store/'), ask('/store/', { method: 'HEAD' })]);
  assert.equal(head.status, 200);
  assert.equal(await head.text(), '');
  for (const name of ['content-type', 'content-length', 'etag', 'cache-control']) {
    assert.equal(head.headers.get(name), get.headers.get(name), name);
  }
});

test('responses with an account’s data must not be stored', async () => {
  assert.equal((await ask('/store/')).headers.get('cache-control'), 'no-store');
});

test('a valid request id is returned, an invalid one is replaced', async () => {
  const answered = async (id: string) =>
    (await ask('/store/', { headers: { 'x-request-id': id } })).headers.get('x-request-id');
  for (const sane of ['a', 'order-7_retry.2:1', 'x'.repeat(128)]) assert.equal(await answered(sane), sane);
  for (const other of ['', 'x'.repeat(129), 'two words', 'a"b', '<b>', 'é'])
    assert.match((await answered(other))!, uuid7);
});

test('every response names the version of the API', async () => {
  for (const path of ['/store/', '/nowhere', '/store', '/problems/', '/openapi.json']) {
    assert.equal((await ask(path)).headers.get('shopbell-version'), openapi.info.version, path);
  }
});

test('the served OpenAPI document equals the one in the repository', async () => {
  assert.deepEqual(await (await ask('/openapi.json')).json(), openapiDocument);
});
