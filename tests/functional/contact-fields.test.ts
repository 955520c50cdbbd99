// Contact fields over the API: creating, reading, changing and deleting them, and invalid requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';

import type { Schemas } from '../../console/client/index.ts';
import { eventually, expectProblem, faults, newStore, psql, ready, start, url } from './support.ts';

type Field = Schemas['ContactField'];
type NewField = Schemas['NewContactField'];

const { client, send, account } = newStore('Fields');
const create = async (body: NewField): Promise<Field> => {
  const { data, error } = await client.POST('/contact-fields/', { body });
  assert(data, JSON.stringify(error));
  return data;
};

test('a field is returned as it was created', async () => {
  const body: NewField = {
    id: 'loyaltyLevel',
    name: 'Loyalty level',
    type: 'choice',
    indexed: true,
    required: true,
    defaultValue: 'silver',
    options: [
      { id: 'silver', label: 'Silver' },
      { id: 'gold', label: 'Gold' },
    ],
  };
  const response = await send('POST', '/contact-fields/', body);
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('location'), '/contact-fields/loyaltyLevel');
  const made = (await response.json()) as Field;
  const { createdAt, updatedAt, ...rest } = made;
  assert.deepEqual(rest, { ...body, builtIn: false, maxLength: null, min: null, max: null });
  assert.equal(createdAt, updatedAt);
  const read = await send('GET', '/contact-fields/loyaltyLevel');
  assert.equal(read.headers.get('etag'), response.headers.get('etag'));
  assert.deepEqual(await read.json(), made);
});

test('each type normalises its values', async () => {
  const cases: [NewField['type'], unknown, unknown][] = [
    ['text', 'a\nb', 'a\nb'],
    ['dateTime', '2026-01-01T01:00:00+01:00', '2026-01-01T00:00:00.000Z'],
    ['decimal', 12.5, '12.5'],
    ['decimal', '0.100000', '0.1'],
    ['integer', -3, -3],
    ['boolean', false, false],
    ['date', '2024-02-29', '2024-02-29'],
    ['phone', '+436641234567', '+436641234567'],
  ];
  for (const [index, [type, sent, kept]] of cases.entries()) {
    const field = await create({ id: `typed${index}`, name: type, type, defaultValue: sent });
    assert.deepEqual(field.defaultValue, kept, type);
  }
});

test('all faults of a body are reported at once', async () => {
  const body = { id: 'Bad id', name: '', type: 'choices', options: [{ id: 'a' }], foo: 1, maxLength: 0 };
  assert.deepEqual(await faults(await send('POST', '/contact-fields/', body)), [
    '/id invalid-format',
    '/name too-short',
    '/options/0/label required',
    '/foo unknown-member',
    '/maxLength out-of-range',
  ]);
  assert.deepEqual(await faults(await send('POST', '/contact-fields/', {})), [
    '/id required',
    '/name required',
    '/type required',
  ]);
  assert.deepEqual(await faults(await send('POST', '/contact-fields/', 5)), [' wrong-type']);
  for (const id of ['email', 'consent', 'id'])
    assert.deepEqual(await faults(await send('POST', '/contact-fields/', { id, name: 'x', type: 'text' })), [
      '/id invalid-format',
    ]);
});

test('in lenient mode invalid members are dropped and reported', async () => {
  const body = { id: 'lenient', name: 'x', type: 'integer', min: 'junk', foo: 1, defaultValue: 3 };
  const response = await send('POST', '/contact-fields/', body, { prefer: 'handling=lenient' });
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('preference-applied'), 'handling=lenient');
  const made = (await response.json()) as Field;
  assert.deepEqual([made.min, made.defaultValue], [null, 3]);
  assert.deepEqual(
    made.warnings?.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/foo unknown-member', '/min wrong-type'],
  );
});

test('required members are never dropped, even in lenient mode', async () => {
  const lenient = (body: object) =>
    send('POST', '/contact-fields/', { id: 'needy', name: 'x', ...body }, { prefer: 'handling=lenient' });
  assert.deepEqual(await faults(await lenient({ type: 'url', required: true, defaultValue: 'http://' })), [
    '/defaultValue required',
  ]);
  assert.deepEqual(await faults(await lenient({ type: 'choice', options: [{ id: 1 }] })), ['/options required']);
});

test('a field id is unique, and If-Match protects a field', async () => {
  const body = { id: 'guarded', name: 'x', type: 'text' } as const;
  const first = await send('POST', '/contact-fields/', body);
  const etag = first.headers.get('etag')!;
  await expectProblem(await send('POST', '/contact-fields/', body), 409, 'field-exists');
  const createOnly = { 'if-none-match': '*' };
  await expectProblem(await send('POST', '/contact-fields/', body, createOnly), 412, 'precondition-failed');
  const path = '/contact-fields/guarded';
  assert.equal((await send('GET', path, undefined, { 'if-none-match': etag })).status, 304);
  const gzipped = etag.replace(/"$/, '-gzip"');
  assert.equal((await send('GET', path, undefined, { 'if-none-match': gzipped })).status, 304);

  const changed = await send('PATCH', `/manage${path}`, { name: 'y' }, { 'if-match': gzipped });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get('etag'), etag);
  for (const method of ['PATCH', 'DELETE']) {
    const at = method === 'PATCH' ? `/manage${path}` : path;
    const sent = method === 'PATCH' ? { name: 'z' } : undefined;
    await expectProblem(await send(method, at, sent, { 'if-match': etag }), 412, 'precondition-failed');
  }
  assert.equal((await send('DELETE', path, undefined, { 'if-match': '*' })).status, 204);
  await expectProblem(await send('DELETE', path), 404, 'not-found');
  // Creating the id of a deleted field again makes a new field.
  const again = await send('POST', '/contact-fields/', body);
  assert.notEqual(again.headers.get('etag'), etag);
  await expectProblem(await send('DELETE', path, undefined, { 'if-match': etag }), 412, 'precondition-failed');
});

test('a change keeps every stored value valid', async () => {
  await create({ id: 'grows', name: 'x', type: 'text', maxLength: 10 });
  const patch = (body: unknown) => send('PATCH', '/manage/contact-fields/grows', body);
  assert.equal((await patch({ maxLength: 20 })).status, 200);
  assert.deepEqual(await faults(await patch({ maxLength: 5 })), ['/maxLength conflicts-with']);
  assert.deepEqual(await faults(await patch({ type: 'email', indexed: true })), [
    '/type read-only',
    '/indexed read-only',
  ]);
  const read = (await (await send('GET', '/contact-fields/grows')).json()) as Field;
  assert.equal((await patch({ ...read, name: 'get, change, patch' })).status, 200);
  const merge = { 'content-type': 'application/merge-patch+json' };
  const unlimited = await send('PATCH', '/manage/contact-fields/grows', { maxLength: null }, merge);
  assert.equal(((await unlimited.json()) as Field).maxLength, null);
  await expectProblem(await send('PATCH', '/manage/contact-fields/email', { name: 'x' }), 409, 'field-built-in');
  await expectProblem(await send('DELETE', '/contact-fields/email'), 409, 'field-built-in');
});

test('numbers of deleted fields are kept for the purge and never reused', async () => {
  await create({ id: 'reborn', name: 'x', type: 'text' });
  const number = () => Number(psql(`SELECT number FROM contact_field WHERE account_id = ${account} AND id = 'reborn'`));
  const before = number();
  assert.equal((await send('DELETE', '/contact-fields/reborn')).status, 204);
  await create({ id: 'reborn', name: 'x', type: 'text' });
  assert(number() > before);
  assert.equal(
    psql(`SELECT count(*) FROM dropped_contact_field WHERE account_id = ${account} AND number = ${before}`),
    '1',
  );
});

test('pages have no gaps and no duplicates, in both orders', async () => {
  const store = newStore('Pages');
  for (let i = 0; i < 12; ++i)
    await store.client.POST('/contact-fields/', { body: { id: `f${i}`, name: 'x', type: 'text' } });
  const walk = async (query: string) => {
    const ids: string[] = [];
    for (let next: string | null = `/contact-fields/?${query}`; next;) {
      const response: Response = await store.send('GET', next);
      assert.equal(response.status, 200);
      const page = (await response.json()) as Schemas['ContactFieldPage'];
      ids.push(...page.data.map(({ id }) => id));
      next = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
      assert.equal(next === null, page.nextCursor === null);
      // A field that is created between two pages neither shifts nor repeats the others.
      if (next && query.includes('desc'))
        await store.client.POST('/contact-fields/', { body: { id: `m${ids.length}`, name: 'x', type: 'email' } });
    }
    return ids;
  };
  const all = await walk('limit=500');
  assert.equal(new Set(all).size, all.length);
  assert.deepEqual(
    all.slice(0, 12),
    [...Array(12).keys()].map((i) => `f${11 - i}`),
  );
  assert(all.includes('email') && all.includes('phoneStatus'));
  assert.deepEqual(await walk('limit=5&order=desc'), all);
  assert.deepEqual((await walk('limit=7&order=asc')).slice(0, all.length), all.toReversed());
  assert.deepEqual(await walk('type=boolean'), []);
  assert.equal((await walk('type=email&limit=1')).at(-1), 'email');
  assert.deepEqual(await walk('createdAfter=2999-01-01T00:00:00Z'), []);

  const page = (await (await store.send('GET', '/contact-fields/?limit=2')).json()) as Schemas['ContactFieldPage'];
  const stolen = `/contact-fields/?limit=2&cursor=${page.nextCursor}`;
  assert.equal((await store.send('GET', stolen)).status, 200);
  await expectProblem(await send('GET', stolen), 422, 'invalid-cursor');
  await expectProblem(await store.send('GET', `${stolen}&order=asc`), 422, 'invalid-cursor');
  await expectProblem(await store.send('GET', `${stolen}&type=text`), 422, 'invalid-cursor');
});

test('the limit of fields per account holds under concurrent requests', async () => {
  const store = newStore('Full');
  psql(`INSERT INTO contact_field_counter VALUES (${store.account}, 495);
    INSERT INTO contact_field (account_id, id, number, name, type, indexed, required, created_at, updated_at)
    SELECT ${store.account}, 'f' || n, n, 'x', 'text', false, false, now(), now() FROM generate_series(1, 495) n`);
  const answers = await Promise.all(
    [...Array(20).keys()].map((i) =>
      store.send('POST', '/contact-fields/', { id: `race${i}`, name: 'x', type: 'text' }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  assert.equal(statuses.filter((status) => status === 201).length, 5);
  for (const answer of answers.filter(({ status }) => status !== 201))
    await expectProblem(answer, 409, 'limit-reached');
});

test('a repeated request gets the first response', async () => {
  const body = { id: 'once', name: 'x', type: 'text' };
  const key = { 'idempotency-key': '"order-1"' };
  const first = await send('POST', '/contact-fields/', body, key);
  assert.equal(first.headers.get('idempotent-replayed'), null);
  const text = await first.text();
  const bare = { 'idempotency-key': 'order-1' };
  const replay = await send('POST', '/contact-fields/', body, bare);
  assert.deepEqual(
    [replay.status, replay.headers.get('idempotent-replayed'), await replay.text()],
    [201, 'true', text],
  );
  for (const header of ['etag', 'location']) assert.equal(replay.headers.get(header), first.headers.get(header));
  await expectProblem(
    await send('POST', '/contact-fields/', { ...body, name: 'y' }, key),
    422,
    'idempotency-key-reused',
  );
  assert.equal((await send('DELETE', '/contact-fields/once')).status, 204);
  // The key's claim still replays the response.
  assert.equal((await send('POST', '/contact-fields/', body, key)).status, 201);
  await expectProblem(await send('GET', '/contact-fields/once'), 404, 'not-found');
  // A rejected request does not use up its key, so the corrected request may use it.
  const mended = { 'idempotency-key': 'mended' };
  await faults(await send('POST', '/contact-fields/', { id: 'mended' }, mended));
  assert.equal((await send('POST', '/contact-fields/', { ...body, id: 'mended' }, mended)).status, 201);
  // After its expiry the idempotency key can be used again.
  psql(`UPDATE claim SET made_at = now() - interval '8 days' WHERE account_id = ${account}`);
  assert.equal((await send('POST', '/contact-fields/', body, key)).headers.get('idempotent-replayed'), null);
});

test('a stored response is encrypted', () => {
  assert.equal(psql(`SELECT count(*) FROM claim WHERE position('once'::bytea in answer) > 0`), '0');
});

test('request bodies and responses can be compressed', async () => {
  const response = await fetch(`${url}/contact-fields/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${newStore('Zipped').key}`,
      'content-type': 'application/json',
      'content-encoding': 'gzip',
    },
    body: new Uint8Array(gzipSync(JSON.stringify({ id: 'zipped', name: 'x', type: 'text' }))),
  });
  assert.equal(response.status, 201);
  const plain = await send('GET', '/contact-fields/', undefined, { 'accept-encoding': 'identity' });
  const zipped = await send('GET', '/contact-fields/', undefined, { 'accept-encoding': 'gzip' });
  assert.equal(zipped.headers.get('content-encoding'), 'gzip');
  assert.equal(zipped.headers.get('vary'), 'Accept-Encoding');
  assert.deepEqual(await zipped.json(), await plain.json());
});

test('a change acknowledged by one process is visible on another at once', async (t) => {
  const other = await start(t);
  await eventually(async () => (await ready(other)).ready);
  for (let i = 0; i < 20; ++i) {
    const id = `shared${i}`;
    await create({ id, name: 'x', type: 'text' });
    assert.equal((await send('GET', `/contact-fields/${id}`, undefined, {}, other.url)).status, 200);
    assert.equal((await send('DELETE', `/contact-fields/${id}`, undefined, {}, other.url)).status, 204);
    assert.equal((await send('GET', `/contact-fields/${id}`)).status, 404);
  }
});
