// What workflows send to the endpoints of event types. The tests append what the lane of a contact appends for a
// webhook node, and read what the lane gets back.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test, type TestContext } from 'node:test';

import { manage, typesOf } from './integrator.ts';
import { listen, verify } from './receiver.ts';
import { eventually, expectProblem, newStore, privateUrl, psql, start, type Instance } from './support.ts';

const receiver = await listen();
const endings: (() => void)[] = [() => receiver.close()];
let service: Instance;

before(async () => {
  // The service of tools/try may not call the receiver, so its deliveries would fail and be postponed.
  process.kill(Number(process.env.SHOPBELL_PID), 'SIGTERM');
  await eventually(() =>
    fetch(`${privateUrl}/health`).then(
      () => false,
      () => true,
    ),
  );
  const owner = { after: (end: () => void) => endings.push(end) } as unknown as TestContext;
  service = await start(owner, { SHOPBELL_WEBHOOKS_ALLOW_PRIVATE: receiver.host });
});

after(() => endings.forEach((end) => end()));

/** A store with workflows, and an event type that sends to `/name` of the receiver. */
async function newSender(name: string, type: Record<string, unknown> = {}) {
  const store = newStore(name);
  const send = (method: string, path: string, body?: unknown, headers = {}) =>
    store.send(method, path, body, headers, service.url);
  const json = async (method: string, path: string, body?: unknown, status = 200) => {
    const response = await send(method, path, body);
    const answer = await response.json();
    assert.equal(response.status, status, JSON.stringify(answer));
    return answer as any;
  };
  const integration = await json('POST', '/custom-integrations/', { name: 'Till' }, 201);
  const url = `${receiver.url}/${name}`;
  const body = { name: 'Points redeemed', direction: 'send', url, ...type };
  const made = await json('POST', typesOf(integration.id), body, 201);
  psql(`INSERT INTO engine_interest (account_id, version, kinds) VALUES (${store.account}, 1, '{}')
    ON CONFLICT DO NOTHING`);
  const contact = randomUUID();
  return {
    send,
    json,
    account: store.account,
    path: `/${name}`,
    contact,
    id: made.id as string,
    made,
    own: `${typesOf(integration.id)}${made.id}`,
    get: () => json('GET', `${typesOf(integration.id)}${made.id}`),
    change: (body: unknown) => json('PATCH', manage(made.id), body),
    /** Sends the data as a webhook node of a run, and returns the id of the delivery. */
    run: (data: unknown) => {
      const delivery = randomUUID();
      psql(`INSERT INTO event (account_id, uid, lane, contact_id, subject, kind, format, occurred_at, trigger, hops,
                               source, payload)
        VALUES (${store.account}, '${delivery}', 7, '${contact}', '${made.id}', 'send-webhook', 1, now(), 'none', 0,
                'workflow', '${JSON.stringify(data)}')`);
      return delivery;
    },
    /** Waits until the lane has heard that the delivery ended; true if it was delivered. */
    ended: (delivery: string) =>
      eventually(
        () =>
          psql(`SELECT payload->>'delivered' FROM event WHERE account_id = ${store.account} AND lane = 7
            AND contact_id = '${contact}' AND kind = 'delivery-ended' AND payload->>'deliveryId' = '${delivery}'`),
        30,
      ).then((delivered) => delivered === 'true'),
    makeDue: () =>
      psql(`UPDATE webhook_delivery SET due_at = now()
             WHERE account_id = ${store.account} AND state = 'due' AND sender IS NULL;
        UPDATE webhook_queue SET next_due_at = now() WHERE account_id = ${store.account}`),
  };
}

test('an event type receives what a workflow sends, signed, as a CloudEvent', async () => {
  const sender = await newSender('sent', { headers: [{ name: 'X-Token', value: 'open sesame' }] });
  await sender.json('POST', '/manage/webhooks/', { url: `${receiver.url}/subscriber` }, 201);
  const delivery = sender.run({ points: 7 });
  const [heard] = await receiver.until(sender.path, 1);
  verify(sender.made.signingSecret, heard!);
  assert.equal(heard!.headers['x-token'], 'open sesame');
  assert.equal(heard!.headers['webhook-id'], delivery);
  const { event } = heard!;
  assert.deepEqual(
    [event.id, event.type, event.eventtypeid, event.subject, event.contactid, event.sequence, event.data],
    [delivery, 'Points redeemed', sender.id, sender.contact, sender.contact, 1, { points: 7 }],
  );
  assert.equal(await sender.ended(delivery), true);
  assert.equal(await sender.ended(sender.run({ points: 8 })), true);
  assert.equal(receiver.heardAt(sender.path)[1]!.event.sequence, 2);

  // The store's webhook for all events gets neither. It does get the events of contacts.
  await sender.send('PATCH', '/contacts/email/eva@example.com?createContact=true', { firstName: 'Eva' });
  const [other] = await receiver.until('/subscriber', 1);
  assert.equal(other!.event.type, 'contact.created');
});

test('a failed request is retried with the same id, and changes of the event type apply to the retry', async () => {
  const sender = await newSender('retried');
  receiver.answer(sender.path, () => 500);
  const delivery = sender.run({});
  await receiver.until(sender.path, 1);
  await eventually(async () => (await sender.get()).failingSince !== null);
  await sender.change({ name: 'Renamed', url: `${receiver.url}/moved` });
  assert.equal((await sender.get()).failingSince, null);
  const rotated = await sender.json('POST', `${manage(sender.id)}/rotate-secret`);
  sender.makeDue();
  const [heard] = await receiver.until('/moved', 1);
  assert.equal(heard!.headers['webhook-id'], delivery);
  assert.equal(heard!.event.type, 'Renamed');
  for (const secret of [rotated.signingSecret, sender.made.signingSecret]) verify(secret, heard!);
  assert.equal(await sender.ended(delivery), true);
});

test('an endpoint that answers 410 disables its event type until a client enables it again', async () => {
  const sender = await newSender('gone');
  let failures = 1;
  receiver.answer(sender.path, () => (failures-- > 0 ? 500 : 410));
  const first = sender.run({});
  await receiver.until(sender.path, 1);
  // The second one waits for the first, which is retried later.
  const second = sender.run({});
  const before = await sender.send('GET', sender.own);
  await eventually(
    () => psql(`SELECT count(*) FROM webhook_delivery WHERE account_id = ${sender.account}`) === '2',
    20,
  );
  sender.makeDue();
  assert.equal(await sender.ended(first), false);
  assert.equal(await sender.ended(second), false);
  const gone = await sender.get();
  assert.deepEqual([gone.status, gone.reason], ['disabled', 'gone']);
  assert.notEqual((await sender.send('GET', sender.own)).headers.get('etag'), before.headers.get('etag'));
  assert.equal(await sender.ended(sender.run({})), false);
  assert.equal(receiver.heardAt(sender.path).length, 2);

  receiver.answer(sender.path, () => 204);
  await sender.change({ name: 'Still disabled' });
  assert.equal((await sender.get()).status, 'disabled');
  const enabled = await sender.change({ status: 'enabled' });
  assert.deepEqual([enabled.status, enabled.reason, enabled.failingSince], ['enabled', null, null]);
  assert.equal(await sender.ended(sender.run({})), true);
});

test('a disabled event type fails what waits and what comes', async () => {
  const sender = await newSender('disabled');
  receiver.answer(sender.path, () => 500);
  const waiting = sender.run({});
  await receiver.until(sender.path, 1);
  await eventually(async () => (await sender.get()).failingSince !== null);
  const disabled = await sender.change({ status: 'disabled' });
  assert.deepEqual([disabled.status, disabled.reason], ['disabled', 'requested']);
  assert.equal(await sender.ended(waiting), false);
  assert.equal(await sender.ended(sender.run({})), false);
  assert.equal(receiver.heardAt(sender.path).length, 1);

  const made = await newSender('born-disabled', { status: 'disabled' });
  assert.deepEqual([made.made.status, made.made.reason], ['disabled', 'requested']);
  assert.equal(await made.ended(made.run({})), false);
});

test('an event for a deleted event type fails', async () => {
  const sender = await newSender('deleted');
  assert.equal((await sender.send('DELETE', sender.own)).status, 204);
  assert.equal(await sender.ended(sender.run({})), false);
  assert.equal(receiver.heardAt(sender.path).length, 0);
});

test('the endpoint of an event type is no webhook', async () => {
  const sender = await newSender('hidden');
  const webhook = `/manage/webhooks/${sender.id}`;
  assert.deepEqual((await sender.json('GET', '/manage/webhooks/')).data, []);
  const period = { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' };
  const asked: [string, string, unknown?][] = [
    ['GET', ''],
    ['PATCH', '', { status: 'paused' }],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/test'],
    ['GET', '/deliveries'],
    ['POST', '/redeliver', { id: sender.run({}) }],
    ['POST', '/replay', period],
  ];
  for (const [method, rest, body] of asked)
    await expectProblem(await sender.send(method, webhook + rest, body), 404, 'not-found', service.url);
  assert.equal((await sender.get()).status, 'enabled');
  // Event types do not count as webhooks.
  const made = await Promise.all(
    Array.from({ length: 100 }, () => sender.send('POST', '/manage/webhooks/', { url: `${receiver.url}/many` })),
  );
  assert.deepEqual([...new Set(made.map(({ status }) => status))], [201]);
});

test('only event types that send have a status', async () => {
  const { json, send } = await newSender('receiving');
  const integration = (await json('POST', '/custom-integrations/', { name: 'Second' }, 201)).id;
  const body = { name: 'In', direction: 'receive', alias: 'in' };
  const made = await json('POST', typesOf(integration), body, 201);
  assert.deepEqual([made.status, made.reason, made.failingSince], [null, null, null]);
  await expectProblem(
    await send('POST', typesOf(integration), { ...body, alias: 'other', status: 'enabled' }),
    422,
    'invalid-body',
    service.url,
  );
});
