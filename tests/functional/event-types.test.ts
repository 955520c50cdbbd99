// Event types of custom integrations over the API: payload fields, outgoing URLs and secrets, changes, and invalid
// requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { connect } from '../../console/client/index.ts';
import type { Schemas } from '../../console/client/index.ts';
import { lenient, manage, newIntegrator, nextAlias, nobody, sending, typesOf } from './integrator.ts';
import type { Created, EventType, Integration, NewType } from './integrator.ts';
import { expectProblem, faults, newStore, psql, url } from './support.ts';

const { client, send, account, integrate, define } = newIntegrator('Event types');

test('an event type is returned as it was created, by id and by alias', async () => {
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
  assert.deepEqual(
    page.data?.data.map((type) => type.id),
    [made.id],
  );
});

test('all faults of an event type are reported at once', async () => {
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
  assert.deepEqual(await faults(await post({ name: 'x', direction: 'send', alias: 'a', headers: [{ name: 'X-A' }] })), [
    '/url required',
    '/alias conflicts-with',
    '/headers/0/value required',
  ]);
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

test('the number, depth and size of a type’s fields are limited', async () => {
  const { id } = await integrate();
  const post = (fields: unknown) =>
    send('POST', typesOf(id), { name: 'x', direction: 'receive', alias: nextAlias(), fields });
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

test('lenient mode drops invalid members, but never security-relevant ones', async () => {
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

test('an alias is unique in the account under concurrent requests', async () => {
  const [one, other] = [await integrate(), await integrate()];
  const body = { name: 'x', direction: 'receive', alias: 'contested' };
  const answers = await Promise.all(
    [...Array(12).keys()].map((i) => send('POST', typesOf(i % 2 ? one.id : other.id), body)),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  for (const answer of answers.filter(({ status }) => status !== 201)) await expectProblem(answer, 409, 'alias-taken');
  await expectProblem(await send('POST', typesOf(one.id), body, { 'if-none-match': '*' }), 412, 'precondition-failed');
  assert.equal((await newStoreType(body)).status, 201); // another store may have the same alias
});

async function newStoreType(body: object): Promise<Response> {
  const store = newStore('Same alias');
  const made = await store.client.POST('/custom-integrations/', { body: { name: 'x' } });
  return store.send('POST', typesOf(made.data!.id), body);
}

test('a secret is shown on creation, and stored encrypted', async () => {
  const { id } = await integrate();
  const made = await define(id, sending({ headers: [{ name: 'X-Token', value: 'open-sesame' }] }));
  assert.match(made.signingSecret!, /^whsec_\w{44}$/);
  assert.deepEqual(made.headers, [{ name: 'X-Token' }]);
  const read = await (await send('GET', typesOf(id) + made.id)).text();
  const list = await (await send('GET', typesOf(id))).text();
  for (const text of [read, list]) assert(!text.includes('open-sesame') && !text.includes('signingSecret'));
  const stored = () =>
    psql(`SELECT t::text || encode(signing_secret, 'escape') FROM event_type t
           WHERE account_id = ${account} AND event_type_id = '${made.id}'`);
  assert(!stored().includes('open-sesame') && !stored().includes(made.signingSecret!.slice(6)));

  // The header's value stays unless a new one is sent.
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

test('a rotated secret is shown once, and the previous one is valid for a day', async () => {
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
  // A retry returns the same secret and rotates nothing.
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

test('a change of a type keeps every event valid', async () => {
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

test('outgoing event types need their own scope', async () => {
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
  // Sending the type back unchanged, or with another name, does not change outgoing requests.
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
  for (const { response, error } of refused) assert.deepEqual([response.status, error?.code], [403, 'scope-missing']);
  assert.equal((await send('DELETE', typesOf(id) + out.id)).status, 204);
});
