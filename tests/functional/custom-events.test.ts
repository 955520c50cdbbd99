// Custom events over the API: single events, batches and duplicates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, eventually, expectProblem, faults, newStore, psql, ready, shopbell, start } from './support.ts';

interface Receipt {
  id: string;
  status: string;
  contactId: string;
  receivedAt: string;
}

const { send, account, key } = newStore('Events');
const created = async (path: string, body: object) => {
  const response = await send('POST', path, body);
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as { id: string };
};
const integration = await created('/custom-integrations/', { name: 'Shop' });
const types = `/custom-integrations/${integration.id}/custom-event-types/`;
const cart = await created(types, {
  name: 'Cart',
  direction: 'receive',
  alias: 'cart',
  fields: [
    { id: 'cartId', name: 'Cart', type: 'text', required: true },
    { id: 'total', name: 'Total', type: 'decimal' },
  ],
});
const alias = '/custom-events/alias/cart';
const eva = { email: 'eva@example.com' };
await send('PATCH', '/contacts/email/eva@example.com?createContact=true', { externalId: 'e-1' });

let count = 0;
const some = () => `event-${++count}`;
const event = (more: object = {}) => ({ contact: eva, payload: { cartId: 'c' }, ...more });
const post = (body: object, path = alias, headers = {}) => send('POST', path, body, headers);
const lines = (all: (object | string)[], headers = {}) =>
  ask(alias, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson', ...headers },
    body: all.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'),
  });
const rows = (where = 'true') =>
  Number(psql(`SELECT count(*) FROM event WHERE account_id = ${account} AND kind = 'custom.cart' AND ${where}`));

test('an event is accepted by alias and by id, and stored as its type defines', async () => {
  for (const path of [alias, `/custom-events/id/${cart.id}`]) {
    const response = await post(event({ payload: { cartId: 'c', total: 19.9, more: [1] } }), path);
    assert.equal(response.status, 201);
    const receipt = (await response.json()) as Receipt;
    assert.equal(receipt.status, 'accepted');
    const kept = psql(`SELECT payload || jsonb_build_object('at', received_at = '${receipt.receivedAt}'::timestamptz
      OR abs(extract(epoch FROM received_at - '${receipt.receivedAt}'::timestamptz)) < 0.001)
      FROM event WHERE uid = '${receipt.id}' AND contact_id = '${receipt.contactId}'`);
    assert.deepEqual(JSON.parse(kept), { cartId: 'c', total: '19.9', more: [1], at: true });
  }
});

test('invalid events are rejected with their faults', async () => {
  const wrong = await faults(
    await post({ contact: { email: 'x' }, payload: { total: 'much' }, occurredAt: '2999-01-01T00:00:00Z' }),
  );
  assert.deepEqual(wrong.sort(), ['/contact/email invalid-format']);
  const more = await faults(
    await post({ contact: eva, payload: { total: 'much' }, occurredAt: '2999-01-01T00:00:00Z' }),
  );
  assert.deepEqual(more.sort(), [
    '/occurredAt out-of-range',
    '/payload/cartId required',
    '/payload/total invalid-format',
  ]);
  assert.deepEqual(await faults(await post({ contact: {}, payload: { cartId: 'c' } })), ['/contact required']);
  assert.deepEqual(await faults(await post({ payload: { cartId: 'c' } })), ['/contact required']);
  await expectProblem(await post(event(), '/custom-events/alias/nothing'), 404, 'not-found');
  await expectProblem(await post(event(), '/custom-events/id/nothing'), 404, 'not-found');
  await expectProblem(await post(event({ contact: { email: 'nobody@example.com' } })), 422, 'contact-not-found');
  await expectProblem(await post(event({ payload: { cartId: 'x'.repeat(300_000) } })), 413, 'body-too-large');
});

test('a repeated event is stored once; a different event with its id is rejected', async () => {
  const body = event({ eventId: some() });
  const first = (await (await post(body)).json()) as Receipt;
  const again = await post({ ...body, payload: { cartId: 'c' } });
  const receipt = (await again.json()) as Receipt;
  assert.deepEqual([again.status, receipt.status, receipt.id], [200, 'duplicate', first.id]);
  assert.equal(receipt.receivedAt, first.receivedAt);
  await expectProblem(await post({ ...body, payload: { cartId: 'd' } }), 409, 'event-exists');
  assert.equal(rows(`uid = '${first.id}'`), 1);
});

test('of concurrent events with one id only one is stored', async () => {
  const body = event({ eventId: some() });
  const answers = await Promise.all(Array.from({ length: 30 }, () => post(body)));
  const ids = new Set<string>();
  let accepted = 0;
  for (const answer of answers) {
    assert([200, 201].includes(answer.status), String(answer.status));
    if (answer.status === 201) ++accepted;
    ids.add(((await answer.json()) as Receipt).id);
  }
  assert.deepEqual([accepted, ids.size], [1, 1]);
});

test('with an Idempotency-Key an event without an id is stored once', async () => {
  const headers = { 'idempotency-key': some() };
  const before = rows();
  const first = await post(event(), alias, headers);
  const again = await post(event(), alias, headers);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
  assert.deepEqual(await again.json(), await first.json());
  assert.equal(rows(), before + 1);
});

test('contacts are created, completed, changed and merged on request', async () => {
  const email = 'new@example.com';
  const made = await post(event({ contact: { email, firstName: 'Nora' } }), `${alias}?createContact=true`);
  assert.equal(made.status, 201);
  const person = await (await send('GET', `/contacts/email/${email}`)).json();
  assert.equal(person.firstName, 'Nora');
  await post(event({ contact: { email, externalId: 'n-1', firstName: 'N' } }));
  const filled = await (await send('GET', '/contacts/external-id/n-1')).json();
  assert.deepEqual([filled.id, filled.firstName], [person.id, 'Nora']);
  await post(event({ contact: { email, firstName: 'N' } }), `${alias}?updateContact=true`);
  assert.equal((await (await send('GET', `/contacts/email/${email}`)).json()).firstName, 'N');
  const both = event({ contact: { email, externalId: 'e-1' } });
  await expectProblem(await post(both), 409, 'contact-identity-conflict');
});

test('an event from before an erasure is rejected', async () => {
  const contact = { email: 'gone@example.com' };
  await post(event({ contact }), `${alias}?createContact=true`);
  await send('DELETE', '/contacts/email/gone@example.com');
  await send('PATCH', '/contacts/email/gone@example.com?createContact=true', {});
  const old = event({ contact, occurredAt: '2026-01-01T00:00:00Z' });
  await expectProblem(await post(old), 422, 'contact-erased');
  assert.equal((await post(event({ contact }))).status, 201);
});

test('a disabled integration accepts no events, nor does a type that sends', async () => {
  const path = `/custom-integrations/${integration.id}`;
  await send('PATCH', path, { eventsEnabled: false });
  await expectProblem(await post(event()), 409, 'integration-disabled');
  await send('PATCH', path, { eventsEnabled: true });
  assert.equal((await post(event())).status, 201);
  const out = await created(types, { name: 'Out', direction: 'send', url: 'https://example.com/x' });
  await expectProblem(await post(event(), `/custom-events/id/${out.id}`), 409, 'event-type-not-receivable');
});

test('a type created on one process is known to another at once', async (t) => {
  const other = await start(t);
  await eventually(async () => (await ready(other)).ready);
  for (let i = 0; i < 5; ++i) {
    const made = await created(types, { name: 'New', direction: 'receive', alias: `new-${i}`, fields: [] });
    const response = await send('POST', `/custom-events/alias/new-${i}`, { contact: eva, payload: {} }, {}, other.url);
    assert.equal(response.status, 201);
    assert.equal((await send('DELETE', types + made.id)).status, 204);
    await expectProblem(
      await send('POST', `/custom-events/alias/new-${i}`, { contact: eva, payload: {} }, {}, other.url),
      404,
      'not-found',
    );
  }
});

test('in a batch each line has its own result', async () => {
  const id = some();
  const response = await lines([
    event({ eventId: id }),
    event({ eventId: id }),
    '{"contact":',
    event({ payload: {} }),
    event({ contact: { email: 'nobody@example.com' } }),
    event({ eventId: id, payload: { cartId: 'other' } }),
  ]);
  assert.equal(response.status, 200, await response.clone().text());
  const answer = await response.json();
  assert.deepEqual([answer.accepted, answer.duplicate, answer.rejected], [1, 1, 4]);
  assert.deepEqual(
    answer.results.map(
      (line: { line: number; status: string; problem?: { code: string } }) =>
        `${line.line} ${line.problem?.code ?? line.status}`,
    ),
    ['1 accepted', '2 duplicate', '3 malformed-json', '4 invalid-body', '5 contact-not-found', '6 event-exists'],
  );
});

test('lines of a batch have their own rate limit', async () => {
  const small = newStore('Few lines');
  await small.send('POST', '/custom-integrations/', { name: 'Shop' });
  const set = shopbell(['account', 'rate', small.account, '--per-second', '1', '--burst', '50']);
  assert.equal(set.status, 0, set.stderr);
  const sendLines = (count: number) =>
    ask(alias, {
      method: 'POST',
      headers: { authorization: `Bearer ${small.key}`, 'content-type': 'application/x-ndjson' },
      body: '{}\n'.repeat(count),
    });
  await eventually(async () => {
    const policy = (await sendLines(1)).headers.get('ratelimit-policy');
    return policy === '"default";q=50;w=50, "lines";q=5000;w=50';
  });
  await sleep(1000); // each event loop caches a key and its rate for up to one second
  const [first, second] = [await sendLines(4000), await sendLines(4000)];
  await expectProblem(first, 404, 'not-found');
  const problem = await expectProblem(second, 429, 'quota-exceeded');
  assert.deepEqual(problem['violated-policies'], ['lines']);
  assert(Number(second.headers.get('retry-after')) > 1);
  assert.match(second.headers.get('ratelimit')!, /"default";r=\d+;t=\d+, "lines";r=\d{3,4};t=\d+/);
});

test('a repeated batch with an Idempotency-Key changes nothing', async () => {
  const all = Array.from({ length: 700 }, (_, i) => event({ payload: { cartId: `k${i}` } }));
  const headers = { 'idempotency-key': some() };
  const before = rows();
  const first = await (await lines(all, headers)).json();
  const again = await (await lines(all, headers)).json();
  assert.deepEqual([first.accepted, again.duplicate, rows() - before], [700, 700, 700]);
  assert.equal(again.results[699].id, first.results[699].id);
});
