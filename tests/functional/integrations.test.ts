// Custom integrations over the API: creating, reading, changing and deleting them with their event types, and invalid
// requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { lenient, manage, newIntegrator, nobody, sending, typesOf } from './integrator.ts';
import type { Created, Integration } from './integrator.ts';
import { eventually, expectProblem, faults, newStore, psql, ready, start } from './support.ts';

const { send, account, integrate, define } = newIntegrator('Integrations');

test('an integration is returned as it was created', async () => {
  const body = {
    name: 'Point of sale',
    description: 'Two\nlines.',
    color: '#1A2b3c',
    imageUrl: 'https://pos.example/logo.png',
    eventsEnabled: false,
  };
  const response = await send('POST', '/custom-integrations/', body);
  assert.equal(response.status, 201);
  const made = (await response.json()) as Integration;
  assert.equal(response.headers.get('location'), `/custom-integrations/${made.id}`);
  const { id, createdAt, updatedAt, ...rest } = made;
  assert.deepEqual(rest, { ...body, color: '#1a2b3c', eventTypeCount: 0 });
  assert.equal(createdAt, updatedAt);
  const read = await send('GET', `/custom-integrations/${id}`);
  assert.equal(read.headers.get('etag'), response.headers.get('etag'));
  assert.deepEqual(await read.json(), made);

  const plain = await integrate({ name: 'Plain' });
  assert.deepEqual([plain.description, plain.color, plain.imageUrl, plain.eventsEnabled], [null, null, null, true]);
});

test('all faults of an integration are reported at once', async () => {
  const body = { name: '', color: 'red', imageUrl: 'ftp://x', eventsEnabled: 1, foo: 1 };
  assert.deepEqual(await faults(await send('POST', '/custom-integrations/', body)), [
    '/name too-short',
    '/color invalid-format',
    '/imageUrl invalid-format',
    '/eventsEnabled wrong-type',
    '/foo unknown-member',
  ]);
  assert.deepEqual(await faults(await send('POST', '/custom-integrations/', {})), ['/name required']);
  const response = await send('POST', '/custom-integrations/', { ...body, name: 'Lenient' }, lenient);
  assert.equal(response.status, 201);
  const made = (await response.json()) as Integration;
  assert.deepEqual([made.color, made.eventsEnabled, made.warnings?.length], [null, true, 4]);
});

test('a name is unique, and If-Match protects an integration', async () => {
  const one = await integrate({ name: 'Once' });
  const other = await integrate({ name: 'once' }); // names are case-sensitive, so this is a different name
  const again = { name: 'Once' };
  await expectProblem(await send('POST', '/custom-integrations/', again), 409, 'name-taken');
  await expectProblem(
    await send('POST', '/custom-integrations/', again, { 'if-none-match': '*' }),
    412,
    'precondition-failed',
  );
  const path = `/custom-integrations/${other.id}`;
  await expectProblem(await send('PATCH', path, again), 409, 'name-taken');
  assert.equal((await send('PATCH', `/custom-integrations/${one.id}`, again)).status, 200);

  const etag = (await send('GET', path)).headers.get('etag')!;
  assert.equal((await send('GET', path, undefined, { 'if-none-match': etag })).status, 304);
  // Repeating the same change has no effect and keeps the ETag.
  const same = await send('PATCH', path, { name: 'once', color: null }, { 'if-match': etag });
  assert.equal(same.headers.get('etag'), etag);
  const changed = await send('PATCH', path, { description: 'x' }, { 'if-match': etag });
  assert.equal(changed.status, 200);
  assert.notEqual(changed.headers.get('etag'), etag);
  for (const method of ['PATCH', 'DELETE']) {
    const sent = method === 'PATCH' ? { color: '#000000' } : undefined;
    await expectProblem(await send(method, path, sent, { 'if-match': etag }), 412, 'precondition-failed');
  }
  const read = (await (await send('GET', path)).json()) as Integration;
  const back = await send('PATCH', path, { ...read, description: null });
  assert.equal(((await back.json()) as Integration).description, null);
  assert.deepEqual(await faults(await send('PATCH', path, { name: null })), ['/name required']);
});

test('of concurrent requests for a name one succeeds, and the others get a conflict', async () => {
  const answers = await Promise.all(
    [...Array(12).keys()].map(() => send('POST', '/custom-integrations/', { name: 'Raced' })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201)) await expectProblem(answer, 409, 'name-taken');
});

test('a missing integration is 404, however its id is written', async () => {
  const { id } = await integrate();
  const type = await define(id);
  const elsewhere = await integrate();
  const paths = [nobody, 'x'].map((missing) => `/custom-integrations/${missing}`);
  for (const path of paths) {
    for (const method of ['GET', 'DELETE']) await expectProblem(await send(method, path), 404, 'not-found');
    await expectProblem(await send('PATCH', path, { name: 'y' }), 404, 'not-found');
    await expectProblem(await send('GET', `${path}/custom-event-types/`), 404, 'not-found');
    const body = { name: 'x', direction: 'receive', alias: 'nowhere' };
    await expectProblem(await send('POST', `${path}/custom-event-types/`, body), 404, 'not-found');
  }
  for (const path of [
    typesOf(id) + nobody,
    typesOf(id) + 'X y',
    typesOf(elsewhere.id) + type.id,
    typesOf('x') + type.id,
  ])
    for (const method of ['GET', 'DELETE']) await expectProblem(await send(method, path), 404, 'not-found');
  for (const missing of [nobody, 'X'])
    await expectProblem(await send('PATCH', manage(missing), { name: 'y' }), 404, 'not-found');
  // Another store's integration gets 404, like a missing one.
  const stranger = newStore('Stranger');
  await expectProblem(await stranger.send('GET', `/custom-integrations/${id}`), 404, 'not-found');
  await expectProblem(await stranger.send('GET', typesOf(id)), 404, 'not-found');
  await expectProblem(await stranger.send('PATCH', manage(type.alias!), { name: 'y' }), 404, 'not-found');
});

test('deleting an integration deletes its event types', async () => {
  const { id } = await integrate();
  const types = [await define(id), await define(id, sending())];
  const etag = (await send('GET', `/custom-integrations/${id}`)).headers.get('etag')!;
  assert.equal((await send('DELETE', typesOf(id) + types[1]!.id)).status, 204);
  await expectProblem(await send('DELETE', typesOf(id) + types[1]!.id), 404, 'not-found');
  // The number of event types is part of the representation, so a new type changes the ETag.
  await expectProblem(
    await send('DELETE', `/custom-integrations/${id}`, undefined, { 'if-match': etag }),
    412,
    'precondition-failed',
  );
  assert.equal((await send('DELETE', `/custom-integrations/${id}`)).status, 204);
  await expectProblem(await send('GET', `/custom-integrations/${id}`), 404, 'not-found');
  await expectProblem(await send('PATCH', manage(types[0]!.alias!), { name: 'x' }), 404, 'not-found');
  assert.equal(psql(`SELECT count(*) FROM event_type WHERE integration_id = '${id}'`), '0');
});

test('an integration in use cannot be deleted', async (t) => {
  const { id } = await integrate();
  const [used, free] = [await define(id), await define(id)];
  psql(`CREATE SCHEMA refers;
    CREATE TABLE refers.workflow (account_id bigint, event_type_id uuid,
      FOREIGN KEY (account_id, event_type_id) REFERENCES event_type ON DELETE RESTRICT);
    INSERT INTO refers.workflow VALUES (${account}, '${used.id}')`);
  t.after(() => psql('DROP SCHEMA refers CASCADE'));
  await expectProblem(await send('DELETE', typesOf(id) + used.id), 409, 'event-type-in-use');
  await expectProblem(await send('DELETE', `/custom-integrations/${id}`), 409, 'integration-in-use');
  assert.equal((await send('DELETE', typesOf(id) + free.id)).status, 204);
  assert.equal((await send('GET', typesOf(id) + used.id)).status, 200);
  psql('DELETE FROM refers.workflow');
  assert.equal((await send('DELETE', `/custom-integrations/${id}`)).status, 204);
});

test('pages have no gaps and no duplicates, in both orders', async () => {
  const store = newStore('Pages of integrations');
  const ids: string[] = [];
  for (let i = 0; i < 7; ++i) {
    const made = await store.client.POST('/custom-integrations/', { body: { name: `n${i}` } });
    ids.push(made.data!.id);
  }
  const types: string[] = [];
  for (let i = 0; i < 5; ++i) {
    const body = { name: 'x', direction: 'receive', alias: `a${i}` };
    types.push(((await (await store.send('POST', typesOf(ids[0]!), body)).json()) as Created).id);
  }
  const walk = async (path: string) => {
    const seen: string[] = [];
    for (let next: string | null = path; next;) {
      const response: Response = await store.send('GET', next);
      assert.equal(response.status, 200);
      const page = (await response.json()) as { data: { id: string }[]; nextCursor: string | null };
      seen.push(...page.data.map(({ id }) => id));
      next = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
      assert.equal(next === null, page.nextCursor === null);
    }
    return seen;
  };
  assert.deepEqual(await walk('/custom-integrations/?limit=3'), ids.toReversed());
  assert.deepEqual(await walk('/custom-integrations/?limit=2&order=asc'), ids);
  assert.deepEqual(await walk(`${typesOf(ids[0]!)}?limit=2`), types.toReversed());
  assert.deepEqual(await walk(`${typesOf(ids[0]!)}?limit=2&order=asc`), types);
  assert.deepEqual(await walk(typesOf(ids[1]!)), []);
  const page = (await (
    await store.send('GET', '/custom-integrations/?limit=2')
  ).json()) as Schemas['CustomIntegrationPage'];
  const stolen = `/custom-integrations/?limit=2&cursor=${page.nextCursor}`;
  await expectProblem(await send('GET', stolen), 422, 'invalid-cursor');
  await expectProblem(await store.send('GET', `${stolen}&order=asc`), 422, 'invalid-cursor');
});

test('the limits of integrations and event types hold under concurrent requests', async () => {
  const store = newStore('Full of integrations');
  const race = async (send: (i: number) => Promise<Response>) => {
    const answers = await Promise.all([...Array(9).keys()].map(send));
    assert.equal(answers.filter(({ status }) => status === 201).length, 3);
    for (const answer of answers.filter(({ status }) => status !== 201))
      await expectProblem(answer, 409, 'limit-reached');
  };
  psql(`INSERT INTO integration (account_id, integration_id, name, events_enabled, created_at, updated_at)
    SELECT ${store.account}, gen_random_uuid(), 'i' || n, true, now(), now() FROM generate_series(1, 197) n`);
  await race((i) => store.send('POST', '/custom-integrations/', { name: `race${i}` }));
  const id = psql(`SELECT integration_id FROM integration WHERE account_id = ${store.account} LIMIT 1`);
  psql(`INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias,
          additional_members, created_at, updated_at)
    SELECT ${store.account}, gen_random_uuid(), '${id}', 'x', 'receive', 'a' || n, 'keep', now(), now()
      FROM generate_series(1, 497) n`);
  await race((i) => store.send('POST', typesOf(id), { name: 'x', direction: 'receive', alias: `race${i}` }));
});

test('a repeated request gets the first response, with the secret', async () => {
  const { id } = await integrate();
  const body = { name: 'x', ...sending() };
  const key = { 'idempotency-key': 'send-type' };
  const first = await (await send('POST', typesOf(id), body, key)).text();
  const replay = await send('POST', typesOf(id), body, key);
  assert.deepEqual([replay.headers.get('idempotent-replayed'), await replay.text()], ['true', first]);
  const one = await send('POST', '/custom-integrations/', { name: 'Replayed' }, { 'idempotency-key': 'i' });
  const again = await send('POST', '/custom-integrations/', { name: 'Replayed' }, { 'idempotency-key': 'i' });
  assert.deepEqual([again.status, await again.text()], [201, await one.text()]);
});

test('a change acknowledged by one process is visible on another at once', async (t) => {
  const other = await start(t);
  await eventually(async () => (await ready(other)).ready);
  const { id } = await integrate();
  for (let i = 0; i < 10; ++i) {
    const type = await define(id);
    assert.equal((await send('GET', typesOf(id) + type.alias, undefined, {}, other.url)).status, 200);
    assert.equal((await send('DELETE', typesOf(id) + type.id, undefined, {}, other.url)).status, 204);
    assert.equal((await send('GET', typesOf(id) + type.id)).status, 404);
  }
});
