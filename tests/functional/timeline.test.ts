// The timeline of a contact.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Schemas } from '../../console/client/index.ts';
import { as, newExporter } from './exporter.ts';
import { ask, expectProblem, key2, newStore, openapi, psql } from './support.ts';

type Page = Schemas['TimelineEventPage'];

const { store, send, account, write, file } = newExporter('Timeline');
const { client } = store;
let people = 0;
async function create(body: object) {
  const externalId = `person-${++people}`;
  const made = await write('PATCH', `/contacts/external-id/${externalId}?createContact=true`, body);
  return { id: made!.id, externalId };
}
const change = (externalId: string, body: object) => write('PATCH', `/contacts/external-id/${externalId}`, body);
const merge = (from: string, into: string) => write('POST', '/manage/contacts/merge', { from, into });

const path = (id: string, query = '') => `/manage/contacts/${id}/timeline${query && `?${query}`}`;
async function page(id: string, query = ''): Promise<Page> {
  const answer = await send('GET', path(id, query));
  assert.equal(answer.status, 200, await answer.clone().text());
  return (await answer.json()) as Page;
}
const kinds = async (id: string, query = '') => (await page(id, query)).data.map(({ kind }) => kind);

/** Reads the whole timeline in pages of that size. */
async function walk(id: string, limit: number, query = '') {
  const all: Page['data'] = [];
  for (let cursor = ''; ;) {
    const { data, nextCursor } = await page(id, `limit=${limit}${query}${cursor && `&cursor=${cursor}`}`);
    assert(data.length <= limit && (nextCursor === null || data.length === limit));
    all.push(...data);
    if (nextCursor === null) return all;
    cursor = nextCursor;
  }
}
/** Reads the ids of the same events from the table. */
const uids = (ids: string[], order: string) =>
  psql(`SELECT uid FROM event WHERE account_id = ${account} AND contact_id IN ('${ids.join("', '")}')
          AND kind LIKE '%.%' ORDER BY received_at ${order}, id ${order}`).split('\n');

test('events are listed newest first, as they were published', async () => {
  const eva = await create({ firstName: 'Eva', emailSubscription: 'subscribed', email: 'eva@example.com' });
  await change(eva.externalId, { firstName: 'Evi' });
  const { data, nextCursor } = await page(eva.id);
  assert.equal(nextCursor, null);
  assert.deepEqual(
    data.map(({ kind }) => kind),
    ['contact.updated', 'contact.subscribed', 'contact.created'],
  );
  const [updated] = data;
  assert.deepEqual(Object.keys(updated!), ['id', 'kind', 'occurredAt', 'receivedAt', 'contactId', 'data']);
  assert.equal(updated!.contactId, eva.id);
  assert.deepEqual(updated!.data, {
    changed: ['firstName'],
    before: { firstName: 'Eva' },
    after: { firstName: 'Evi' },
  });
  assert.match(updated!.receivedAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{3}Z$/);
  const typed = await client.GET('/manage/contacts/{id}/timeline', {
    params: { path: { id: eva.id }, query: { limit: 1 } },
  });
  assert.deepEqual(typed.data?.data, [updated]);
  const described = openapi.paths['/manage/contacts/{id}/timeline'].get;
  assert.equal(described.operationId, 'listContactTimeline');
});

test('pages contain every event once, in both orders', async () => {
  const ada = await create({ firstName: 'Ada 0' });
  for (let i = 1; i <= 11; ++i) await change(ada.externalId, { firstName: `Ada ${i}` });
  for (const [query, order] of [
    ['', 'DESC'],
    ['&order=asc', 'ASC'],
  ] as const) {
    const all = uids([ada.id], order);
    assert.equal(all.length, 12);
    for (const limit of [1, 4, 5, 12])
      assert.deepEqual(
        (await walk(ada.id, limit, query)).map(({ id }) => id),
        all,
        `${limit}${query}`,
      );
  }
});

test('the events of a merged contact are part of the survivor’s timeline', async () => {
  const [a, b, c] = [
    await create({ firstName: 'A' }),
    await create({ firstName: 'B' }),
    await create({ lastName: 'C' }),
  ];
  await change(b.externalId, { points: 3 });
  await merge(a.id, b.id);
  await merge(b.id, c.id); // now a belongs to c, too
  await change(c.externalId, { points: 4 });
  const all = uids([a.id, b.id, c.id], 'DESC');
  for (const id of [a.id, b.id, c.id])
    assert.deepEqual(
      (await walk(id, 2)).map((event) => event.id),
      all,
    );
  const { data } = await page(c.id);
  assert.deepEqual([...new Set(data.map(({ contactId }) => contactId))].sort(), [a.id, b.id, c.id].sort());
  assert.equal(data.filter(({ kind }) => kind === 'contact.merged').length, 2);
  assert.equal(data.filter(({ kind }) => kind === 'contact.created').length, 3);
});

test('internal events are not listed', async () => {
  const [from, into] = [await create({ firstName: 'Old' }), await create({ lastName: 'New' })];
  await merge(from.id, into.id);
  assert.equal(
    psql(
      `SELECT count(*) FROM event WHERE account_id = ${account} AND contact_id = '${from.id}' AND kind = 'handover'`,
    ),
    '1',
  );
  assert((await kinds(into.id)).every((kind) => kind.includes('.')));
  assert.deepEqual(await kinds(into.id, 'kinds=handover'), []);
  for (const filters of [{}, { contact: { id: into.id } }, { kinds: ['handover', 'contact.merged'] }]) {
    const { text } = await file({ type: 'activities', columns: ['kind'], filters });
    assert(text.includes('contact.merged') && !text.includes('handover'), JSON.stringify(filters));
  }
});

test('filters by kind', async () => {
  const eva = await create({ firstName: 'Eva' });
  for (const points of [1, 2, 3]) await change(eva.externalId, { points });
  await write('POST', '/purchases/', {
    purchaseId: 'timeline-1',
    contact: { externalId: eva.externalId },
    currency: 'EUR',
    total: 5,
    lines: [{ name: 'x', quantity: 1 }],
  });
  assert.deepEqual(await kinds(eva.id, 'kinds=contact.created'), ['contact.created']);
  assert.deepEqual(await kinds(eva.id, 'kinds=purchase.created,%20contact.created,contact.created'), [
    'purchase.created',
    'contact.created',
  ]);
  assert.deepEqual(await kinds(eva.id, 'kinds=contact'), []);
  assert.deepEqual(
    (await walk(eva.id, 2, '&kinds=contact.updated,contact.created')).map(({ kind }) => kind),
    ['contact.updated', 'contact.updated', 'contact.updated', 'contact.created'],
  );
});

test('filters by time, including the start', async () => {
  const eva = await create({ firstName: 'Eva' });
  for (const points of [1, 2, 3, 4]) {
    await sleep(5); // the API shows times in milliseconds, so events need different ones
    await change(eva.externalId, { points });
  }
  const { data } = await page(eva.id);
  const order = data.map(({ id }) => id);
  const at = data.map(({ receivedAt }) => encodeURIComponent(receivedAt));
  const ids = async (query: string) => (await page(eva.id, query)).data.map(({ id }) => id);
  assert.deepEqual(await ids(`from=${at[2]}`), order.slice(0, 3));
  assert.deepEqual(await ids(`to=${at[2]}`), order.slice(3));
  assert.deepEqual(await ids(`from=${at[3]}&to=${at[1]}&order=asc`), [order[3], order[2]]);
  assert.deepEqual(await ids('from=2999-01-01T00:00:00Z'), []);
  assert.deepEqual(await ids('to=2001-01-01T00:00:00Z'), []);
});

test('a missing or erased contact has no timeline', async () => {
  const [old, gone] = [await create({ firstName: 'Old' }), await create({ lastName: 'Gone' })];
  await merge(old.id, gone.id);
  assert((await kinds(old.id)).length > 2);
  await write('DELETE', `/contacts/external-id/${gone.externalId}`);
  for (const id of [old.id, gone.id, '0192f5c0-0000-7000-8000-000000000001', 'nobody'])
    await expectProblem(await send('GET', path(id)), 404, 'not-found');
  // A contact of another store is not found.
  const ours = await create({ firstName: 'Ours' });
  await expectProblem(await ask(path(ours.id), { headers: as(key2) }), 404, 'not-found');
});

test('invalid parameters are rejected', async () => {
  const [eva, ada] = [await create({ firstName: 'Eva' }), await create({ firstName: 'Ada' })];
  for (const { externalId } of [eva, ada]) await change(externalId, { points: 1 });
  const { nextCursor } = await page(eva.id, 'limit=1');
  assert(nextCursor);
  assert.equal((await page(eva.id, `limit=5&cursor=${nextCursor}`)).data.length, 1);
  const other = newStore('Timeline elsewhere');
  const refused = [
    path(ada.id, `cursor=${nextCursor}`),
    path(eva.id, `cursor=${nextCursor}&order=asc`),
    path(eva.id, `cursor=${nextCursor}&kinds=contact.created`),
    path(eva.id, `cursor=${nextCursor.replace(/.$/, (last) => (last === '0' ? '1' : '0'))}`),
    path(eva.id, 'cursor=x'),
  ];
  for (const wrong of refused) await expectProblem(await send('GET', wrong), 422, 'invalid-cursor');
  await expectProblem(await other.send('GET', path(eva.id, `cursor=${nextCursor}`)), 422, 'invalid-cursor');
  for (const query of [
    'from=yesterday',
    'kinds=',
    'limit=0',
    `kinds=${[...Array(21).keys()].map((i) => `custom.k${i}`)}`,
  ])
    await expectProblem(await send('GET', path(eva.id, query)), 422, 'invalid-parameter');
  await expectProblem(await send('GET', path(eva.id, 'kind=contact.created')), 422, 'unknown-parameter');
  const { data: weak } = await client.POST('/manage/keys/', { body: { name: 'weak', scopes: ['contacts:read'] } });
  await expectProblem(await ask(path(eva.id), { headers: as(weak!.token) }), 403, 'scope-missing');
});
