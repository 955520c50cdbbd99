// Custom integrations and their event types, from outside: what can be made, seen, changed and
// deleted, and what is refused.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connect } from '../../console/client/index.ts';
import type { Schemas } from '../../console/client/index.ts';
import { eventually, expectProblem, faults, newStore, psql, ready, start, url } from './support.ts';

type Integration = Schemas['CustomIntegration'];
type EventType = Schemas['CustomEventType'];
type Created = Schemas['CreatedCustomEventType'];
type NewType = Schemas['NewCustomEventType'];

const { client, send, account } = newStore('Integrations');
const nobody = '00000000-0000-7000-8000-000000000000';
let names = 0;

async function integrate(body: Partial<Schemas['NewCustomIntegration']> = {}): Promise<Integration> {
  const { data, error } = await client.POST('/custom-integrations/', {
    body: { name: `Integration ${names++}`, ...body },
  });
  assert(data, JSON.stringify(error));
  return data;
}

async function define(id: string, body: Partial<NewType> = {}): Promise<Created> {
  const { data, error } = await client.POST('/custom-integrations/{id}/custom-event-types/', {
    params: { path: { id } },
    body: { name: 'x', direction: 'receive', alias: `alias-${names++}`, ...body },
  });
  assert(data, JSON.stringify(error));
  return data;
}

const sending = (body: object = {}) =>
  ({ direction: 'send', alias: null, url: 'https://pos.example/in', ...body }) as Partial<NewType>;
const typesOf = (id: string) => `/custom-integrations/${id}/custom-event-types/`;
const manage = (id: string) => `/manage/custom-event-types/${id}`;
const lenient = { prefer: 'handling=lenient' };

test('an integration is read as it was made', async () => {
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
  assert.deepEqual(
    [plain.description, plain.color, plain.imageUrl, plain.eventsEnabled],
    [null, null, null, true],
  );
});

test('every fault of an integration is told at once', async () => {
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

test('a name is there once, and an ETag guards what it names', async () => {
  const one = await integrate({ name: 'Once' });
  const other = await integrate({ name: 'once' }); // another name: its exact form counts
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
  // The same once more changes nothing, the tag included.
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

test('who races for a name gets it or learns that it is taken', async () => {
  const answers = await Promise.all(
    [...Array(12).keys()].map(() => send('POST', '/custom-integrations/', { name: 'Raced' })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201))
    await expectProblem(answer, 409, 'name-taken');
});

test('a missing one is missing, however its id is written', async () => {
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
  for (const path of [typesOf(id) + nobody, typesOf(id) + 'X y', typesOf(elsewhere.id) + type.id, typesOf('x') + type.id])
    for (const method of ['GET', 'DELETE']) await expectProblem(await send(method, path), 404, 'not-found');
  for (const missing of [nobody, 'X'])
    await expectProblem(await send('PATCH', manage(missing), { name: 'y' }), 404, 'not-found');
  // Another store's is missing, too.
  const stranger = newStore('Stranger');
  await expectProblem(await stranger.send('GET', `/custom-integrations/${id}`), 404, 'not-found');
  await expectProblem(await stranger.send('GET', typesOf(id)), 404, 'not-found');
  await expectProblem(await stranger.send('PATCH', manage(type.alias!), { name: 'y' }), 404, 'not-found');
});

test('an event type is read as it was made, by id and by alias', async () => {
  const { id } = await integrate();
  const body = {
    name: 'Points redeemed',
    direction: 'receive',
    alias: 'points-redeemed',
    additionalMembers: 'reject',
    fields: [
      { id: 'points', name: 'Points', type: 'integer', required: true, min: 0 },
      { id: 'shop', name: 'Shop', type: 'object', fields: [{ id: 'city', name: 'City', type: 'text' }] },
      { id: 'spent', name: 'Spent', type: 'list', items: { type: 'decimal', min: '0.50' } },
      { id: 'cart', name: 'Cart', type: 'lines' },
    ],
  };
  const response = await send('POST', typesOf(id), body);
  assert.equal(response.status, 201);
  const made = (await response.json()) as Created;
  assert.equal(response.headers.get('location'), typesOf(id) + made.id);
  assert.deepEqual(
    [made.integrationId, made.signingSecret, made.url, made.headers, made.additionalMembers],
    [id, null, null, [], 'reject'],
  );
  assert.deepEqual(
    made.fields.map((field) => field.id),
    ['points', 'shop', 'spent', 'cart'],
  );
  assert.equal(made.fields[2]!.items!.min, '0.5');
  for (const named of [made.id, 'points-redeemed']) {
    const read = await send('GET', typesOf(id) + named);
    assert.equal(read.headers.get('etag'), response.headers.get('etag'));
    const { signingSecret, ...rest } = made;
    assert.deepEqual(await read.json(), rest);
  }
  const integration = await send('GET', `/custom-integrations/${id}`);
  assert.equal(((await integration.json()) as Integration).eventTypeCount, 1);
  const page = await client.GET('/custom-integrations/{id}/custom-event-types/', { params: { path: { id } } });
  assert.deepEqual(page.data?.data.map((type) => type.id), [made.id]);
});

test('every fault of an event type is told at once', async () => {
  const { id } = await integrate();
  const post = (body: unknown, headers = {}) => send('POST', typesOf(id), body, headers);
  const field = (rest: object) => ({ id: 'a', name: 'A', ...rest });
  assert.deepEqual(await faults(await post({})), ['/name required', '/direction required']);
  assert.deepEqual(
    await faults(
      await post({
        name: '',
        direction: 'receive',
        alias: 'No alias',
        additionalMembers: 'lose',
        signingSecret: 'mine',
        fields: [field({ type: 'choice' }), field({ type: 'object', fields: [{ id: 'B' }] })],
      }),
    ),
    [
      '/name too-short',
      '/alias invalid-format',
      '/additionalMembers not-an-option',
      '/signingSecret unknown-member',
      '/fields/0/options required',
      '/fields/1/fields/0/id invalid-format',
      '/fields/1/fields/0/name required',
      '/fields/1/fields/0/type required',
    ],
  );
  assert.deepEqual(await faults(await post({ name: 'x', direction: 'receive', url: 'https://a.example/' })), [
    '/alias required',
    '/url conflicts-with',
  ]);
  assert.deepEqual(
    await faults(await post({ name: 'x', direction: 'send', alias: 'a', headers: [{ name: 'X-A' }] })),
    ['/url required', '/alias conflicts-with', '/headers/0/value required'],
  );
  const headers = [
    { name: 'Host', value: 'x' },
    { name: 'X-A', value: 'a\u00e4' },
    { name: 'X A', value: '' },
  ];
  assert.deepEqual(await faults(await post({ name: 'x', ...sending({ headers, url: 'https://u@a.example/' }) })), [
    '/url invalid-format',
    '/headers/0/name invalid-format',
    '/headers/1/value invalid-format',
    '/headers/2/name invalid-format',
    '/headers/2/value too-short',
  ]);
  const twice = ['x-a', 'X-A'].map((name) => ({ name, value: 'x' }));
  assert.deepEqual(await faults(await post({ name: 'x', ...sending({ headers: twice }) })), [
    '/headers/1/name duplicate',
  ]);
});

test('a type has so many fields, so deep in each other, of so many bytes', async () => {
  const { id } = await integrate();
  const post = (fields: unknown) =>
    send('POST', typesOf(id), { name: 'x', direction: 'receive', alias: `wide-${names++}`, fields });
  const many = (count: number, rest: object = { type: 'text' }) =>
    [...Array(count).keys()].map((i) => ({ id: `f${i}`, name: 'F', ...rest }));
  const inside = (count: number) => [{ id: 'a', name: 'A', type: 'object', fields: many(count) }];
  assert.equal((await post(many(200))).status, 201);
  assert.deepEqual(await faults(await post(many(201))), ['/fields too-long']);
  assert.equal((await post(inside(199))).status, 201);
  assert.deepEqual(await faults(await post(inside(200))), ['/fields too-long']);
  let deep: unknown[] = many(1);
  for (let level = 2; level <= 5; ++level) deep = [{ id: 'a', name: 'A', type: 'object', fields: deep }];
  assert.equal((await post(deep)).status, 201);
  assert.equal((await faults(await post([{ id: 'a', name: 'A', type: 'object', fields: deep }]))).length, 1);
  const options = [...Array(500).keys()].map((i) => ({ id: `o${i}`, label: 'x'.repeat(100) }));
  assert.deepEqual(await faults(await post(many(2, { type: 'choice', options }))), ['/fields too-long']);
});

test('by wish junk is left out, but never what guards', async () => {
  const { id } = await integrate();
  const post = (body: object) => send('POST', typesOf(id), { name: 'x', direction: 'receive', ...body }, lenient);
  const response = await post({ alias: 'lenient', foo: 1, fields: [{ id: 'a', name: 'A', type: 'text', min: 3 }] });
  assert.equal(response.status, 201);
  const made = (await response.json()) as Created;
  assert.deepEqual(
    made.warnings?.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/foo unknown-member', '/fields/0/min conflicts-with'],
  );
  assert.deepEqual(await faults(await post({ alias: 'X', additionalMembers: 'x', fields: [{}] })), [
    '/additionalMembers not-an-option',
    '/fields/0/id required',
    '/fields/0/name required',
    '/fields/0/type required',
    '/alias required',
  ]);
});

test('an alias is there once in the account, whoever races', async () => {
  const [one, other] = [await integrate(), await integrate()];
  const body = { name: 'x', direction: 'receive', alias: 'contested' };
  const answers = await Promise.all(
    [...Array(12).keys()].map((i) => send('POST', typesOf(i % 2 ? one.id : other.id), body)),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201))
    await expectProblem(answer, 409, 'alias-taken');
  await expectProblem(
    await send('POST', typesOf(one.id), body, { 'if-none-match': '*' }),
    412,
    'precondition-failed',
  );
  assert.equal((await newStoreType(body)).status, 201); // another store's alias is its own
});

async function newStoreType(body: object): Promise<Response> {
  const store = newStore('Same alias');
  const made = await store.client.POST('/custom-integrations/', { body: { name: 'x' } });
  return store.send('POST', typesOf(made.data!.id), body);
}

test('a secret is shown when it is made, and kept sealed', async () => {
  const { id } = await integrate();
  const made = await define(id, sending({ headers: [{ name: 'X-Token', value: 'open-sesame' }] }));
  assert.match(made.signingSecret!, /^whsec_\w{44}$/);
  assert.deepEqual(made.headers, [{ name: 'X-Token' }]);
  const read = await (await send('GET', typesOf(id) + made.id)).text();
  const list = await (await send('GET', typesOf(id))).text();
  for (const text of [read, list])
    assert(!text.includes('open-sesame') && !text.includes('signingSecret'));
  const stored = () =>
    psql(`SELECT t::text || encode(signing_secret, 'escape') FROM event_type t
           WHERE account_id = ${account} AND event_type_id = '${made.id}'`);
  assert(!stored().includes('open-sesame') && !stored().includes(made.signingSecret!.slice(6)));

  // The value stays unless another is sent.
  const headers = () => psql(`SELECT headers FROM event_type WHERE event_type_id = '${made.id}'`);
  const before = headers();
  const patch = (body: unknown) => send('PATCH', manage(made.id), body);
  const shown = JSON.parse(read) as EventType;
  assert.equal((await patch({ ...shown, name: 'get, change, patch' })).status, 200);
  assert.equal(headers(), before);
  assert.deepEqual(await faults(await patch({ headers: [{ name: 'X-New' }] })), ['/headers/0/value required']);
  const added = await patch({ headers: [{ name: 'x-token' }, { name: 'X-New', value: 'y' }] });
  assert.deepEqual(((await added.json()) as EventType).headers, [{ name: 'X-Token' }, { name: 'X-New' }]);
  await patch({ headers: [{ name: 'X-Token', value: 'other' }] });
  assert.notEqual(headers(), before);
  await patch({ headers: [] });
  assert.equal(headers(), '[]');
});

test('a rotated secret is shown once, and the one before holds for a day', async () => {
  const { id } = await integrate();
  const made = await define(id, sending());
  const etag = (await send('GET', typesOf(id) + made.id)).headers.get('etag')!;
  const sealed = () =>
    psql(`SELECT signing_secret, previous_signing_secret,
                 extract(epoch FROM previous_valid_until - updated_at)::int
            FROM event_type WHERE event_type_id = '${made.id}'`).split('|');
  const [first] = sealed();
  const key = { 'idempotency-key': 'rotate' };
  const rotated = await send('POST', `${manage(made.id)}/rotate-secret`, undefined, { ...key, 'if-match': etag });
  assert.equal(rotated.status, 200);
  const { signingSecret } = (await rotated.json()) as Created;
  assert.match(signingSecret!, /^whsec_\w{44}$/);
  assert.notEqual(signingSecret, made.signingSecret);
  const [second, previous, seconds] = sealed();
  assert.deepEqual([previous, seconds], [first, '86400']);
  assert.notEqual(second, first);
  // The repetition shows the same one and rotates nothing.
  const again = await send('POST', `${manage(made.id)}/rotate-secret`, undefined, { ...key, 'if-match': etag });
  assert.equal(((await again.json()) as Created).signingSecret, signingSecret);
  assert.equal(sealed()[0], second);
  await expectProblem(
    await send('POST', `${manage(made.id)}/rotate-secret`, undefined, { 'if-match': etag }),
    412,
    'precondition-failed',
  );
  const receives = await define(id);
  for (const missing of [receives.id, nobody])
    await expectProblem(await send('POST', `${manage(missing)}/rotate-secret`), 404, 'not-found');
});

test('a change of a type leaves every event valid', async () => {
  const { id } = await integrate();
  const option = (name: string) => ({ id: name, label: name });
  const level = { id: 'level', name: 'Level', type: 'choice' as const, options: [option('gold')] };
  const made = await define(id, { fields: [level] });
  const patch = (body: unknown, headers = {}) => send('PATCH', manage(made.alias!), body, headers);
  const fields = (list: unknown[]) => patch({ fields: list });
  const till = { id: 'till', name: 'Till', type: 'text' };
  const etag = (await send('GET', typesOf(id) + made.id)).headers.get('etag')!;
  const grown = await patch(
    { name: 'Grown', fields: [{ ...level, options: [option('gold'), option('tin')] }, till] },
    { 'if-match': etag },
  );
  assert.equal(grown.status, 200);
  const after = (await grown.json()) as EventType;
  assert.deepEqual([after.name, after.fields.length, after.fields[0]!.options!.length], ['Grown', 2, 2]);
  await expectProblem(await patch({ name: 'z' }, { 'if-match': etag }), 412, 'precondition-failed');
  assert.equal((await patch({ ...after, alias: made.alias })).headers.get('etag'), grown.headers.get('etag'));

  assert.deepEqual(await faults(await fields([level, till])), ['/fields/0/options conflicts-with']);
  assert.deepEqual(await faults(await fields([])), ['/fields conflicts-with', '/fields conflicts-with']);
  assert.deepEqual(await faults(await fields([...after.fields, { ...till, id: 'more', required: true }])), [
    '/fields/2/required conflicts-with',
  ]);
  assert.deepEqual(
    await faults(await patch({ direction: 'send', alias: 'other', additionalMembers: 'drop', url: null })),
    ['/direction read-only', '/alias read-only', '/additionalMembers read-only'],
  );
  assert.deepEqual(await faults(await patch({ url: 'https://a.example/' })), ['/url conflicts-with']);
  const out = await define(id, sending());
  assert.deepEqual(await faults(await send('PATCH', manage(out.id), { url: null })), ['/url required']);
  const moved = await send('PATCH', manage(out.id), { url: 'https://b.example/' });
  assert.equal(((await moved.json()) as EventType).url, 'https://b.example/');
});

test('what goes out needs a scope of its own', async () => {
  const { id } = await integrate();
  const out = await define(id, sending({ headers: [{ name: 'X-A', value: 'x' }] }));
  const scopes = ['custom-integrations:read', 'custom-integrations:write', 'manage-custom-event-types:write'];
  const { data } = await client.POST('/manage/keys/', {
    body: { name: 'no webhooks', scopes: scopes as Schemas['NewApiKey']['scopes'] },
  });
  const restricted = connect({ url, key: data!.token });
  const path = { params: { path: { id } } };
  const byId = { params: { path: { id: out.id } } };
  const create = (body: object) =>
    restricted.POST('/custom-integrations/{id}/custom-event-types/', {
      ...path,
      body: { name: 'x', ...body } as NewType,
    });
  const change = (body: object) => restricted.PATCH('/manage/custom-event-types/{id}', { ...byId, body });
  assert.equal((await create({ direction: 'receive', alias: 'allowed' })).response.status, 201);
  // As it is, or another name: nothing else goes out.
  const { data: read } = await restricted.GET('/custom-integrations/{id}/custom-event-types/{eventTypeId}', {
    params: { path: { id, eventTypeId: out.id } },
  });
  assert.equal((await change({ ...read, name: 'Renamed' })).response.status, 200);
  const refused = [
    await create(sending()),
    await change({ url: 'https://evil.example/' }),
    await change({ headers: [] }),
    await change({ headers: [{ name: 'X-A', value: 'y' }] }),
    await restricted.POST('/manage/custom-event-types/{id}/rotate-secret', byId),
  ];
  for (const { response, error } of refused)
    assert.deepEqual([response.status, error?.code], [403, 'scope-missing']);
  assert.equal((await send('DELETE', typesOf(id) + out.id)).status, 204);
});

test('an integration takes its types along', async () => {
  const { id } = await integrate();
  const types = [await define(id), await define(id, sending())];
  const etag = (await send('GET', `/custom-integrations/${id}`)).headers.get('etag')!;
  assert.equal((await send('DELETE', typesOf(id) + types[1]!.id)).status, 204);
  await expectProblem(await send('DELETE', typesOf(id) + types[1]!.id), 404, 'not-found');
  // The number of types is part of what was read.
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

test('what something refers to cannot be deleted', async (t) => {
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

test('pages follow each other without gap or repetition, in both orders', async () => {
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
    for (let next: string | null = path; next; ) {
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
  const page = (await (await store.send('GET', '/custom-integrations/?limit=2')).json()) as Schemas['CustomIntegrationPage'];
  const stolen = `/custom-integrations/?limit=2&cursor=${page.nextCursor}`;
  await expectProblem(await send('GET', stolen), 422, 'invalid-cursor');
  await expectProblem(await store.send('GET', `${stolen}&order=asc`), 422, 'invalid-cursor');
});

test('an account has so many of both and no more, whoever races', async () => {
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

test('a repeated request is answered as the first was, secret and all', async () => {
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

test('what one process acknowledges another knows at once', async (t) => {
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
