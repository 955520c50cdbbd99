// Deliveries of webhooks. The receiver runs on this machine, so the tests start a service that may call private
// addresses.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { blockOf, runPage } from './page.ts';
import { freePort, listen, verify } from './receiver.ts';
import { eventually, expectProblem, newStore, privateUrl, start, type Instance } from './support.ts';

interface Delivery {
  id: string;
  kind: string;
  contactId: string | null;
  sequence: number;
  status: string;
  attempts: number;
  receivedAt: string;
  nextAttemptAt: string | null;
  endedAt: string | null;
  answerStatus: number | null;
  trouble: string | null;
}

const receiver = await listen();
const samples = { js: await freePort(), python: await freePort() };
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
  const hosts = [receiver.host, ...Object.values(samples).map((port) => `127.0.0.1:${port}`)];
  service = await start(owner, { SHOPBELL_WEBHOOKS_ALLOW_PRIVATE: hosts.join(',') });
});

after(() => endings.forEach((end) => end()));

/** A store with a webhook at `/name` of the receiver. */
async function newShop(name: string, webhook: Record<string, unknown> = {}) {
  const store = newStore(name);
  const send = (method: string, path: string, body?: unknown, headers = {}) =>
    store.send(method, path, body, headers, service.url);
  const json = async (method: string, path: string, body?: unknown, status = 200) => {
    const response = await send(method, path, body);
    const answer = await response.json();
    assert.equal(response.status, status, JSON.stringify(answer));
    return answer as any;
  };
  const path = `/${name}`;
  const made = await json('POST', '/manage/webhooks/', { url: receiver.url + path, ...webhook }, 201);
  const own = `/manage/webhooks/${made.id}`;
  return {
    key: store.key,
    send,
    json,
    path,
    own,
    secret: made.signingSecret as string,
    id: made.id as string,
    save: async (who: string, body: Record<string, unknown>) => {
      const saved = await send('PATCH', `/contacts/email/${who}@example.com?createContact=true`, body);
      assert.ok(saved.ok, String(saved.status));
      return ((await saved.json()) as { id: string }).id;
    },
    deliveries: async (query = '') => (await json('GET', `${own}/deliveries${query}`)).data as Delivery[],
    /** Waits until that many deliveries have the given status. */
    settled: (status: string, count: number) =>
      eventually(async () => {
        const all: Delivery[] = (await json('GET', `${own}/deliveries`)).data;
        return all.length === count && all.every((one) => one.status === status) && all;
      }, 30),
  };
}

test('an event arrives once, signed, as a CloudEvent', async () => {
  const headers = [{ name: 'X-Token', value: 'open sesame' }];
  const shop = await newShop('first', { headers, description: 'Keeps a copy.' });
  const ada = await shop.save('ada', { firstName: 'Ada' });
  const [heard] = await receiver.until(shop.path, 1);
  verify(shop.secret, heard!);
  assert.throws(() => verify(shop.secret, { ...heard!, body: heard!.body.replace('Ada', 'Eva') }));
  assert.equal(heard!.headers['content-type'], 'application/cloudevents+json');
  assert.equal(heard!.headers['x-token'], 'open sesame');
  const { event } = heard!;
  assert.equal(event.id, heard!.headers['webhook-id']);
  assert.deepEqual(
    [event.specversion, event.type, event.subject, event.contactid, event.sequence, event.datacontenttype],
    ['1.0', 'contact.created', ada, ada, 1, 'application/json'],
  );
  assert.equal(event.data?.after?.firstName, 'Ada');
  assert.match(String(event.source), /^urn:uuid:/);
  for (const time of [event.time, event.receivedat])
    assert.ok(Math.abs(Date.parse(String(time)) - Date.now()) < 60_000);
  const [delivery] = await shop.settled('delivered', 1);
  assert.deepEqual(
    [delivery!.id, delivery!.kind, delivery!.contactId, delivery!.sequence, delivery!.attempts, delivery!.answerStatus],
    [event.id, 'contact.created', ada, 1, 1, 204],
  );
  assert.deepEqual([delivery!.nextAttemptAt, delivery!.trouble], [null, null]);
  assert.equal(receiver.heardAt(shop.path).length, 1);
});

test('an endpoint gets only the kinds it selects', async () => {
  const shop = await newShop('kinds', { kinds: ['contact.created', 'purchase.*'] });
  await shop.save('ada', { firstName: 'Ada' });
  await shop.save('ada', { firstName: 'Augusta' });
  const bought = { purchaseId: 'p1', contact: { email: 'ada@example.com' }, currency: 'EUR', total: '9.90' };
  await shop.json('POST', '/purchases/', { ...bought, lines: [{ productId: 'bell', quantity: 1 }] }, 201);
  const heard = await receiver.until(shop.path, 2);
  assert.deepEqual(
    heard.map(({ event }) => [event.type, event.sequence]),
    [
      ['contact.created', 1],
      ['purchase.created', 2],
    ],
  );
  // The update lies between the two events, and the filter does not select it.
  assert.deepEqual(
    (await shop.deliveries('?order=asc')).map(({ kind }) => kind),
    ['contact.created', 'purchase.created'],
  );
});

test('a contact’s events arrive in order and wait for a failing one; other contacts do not wait', async () => {
  const shop = await newShop('order');
  receiver.answer(shop.path, ({ event }) => {
    const firstTime = !receiver.heardAt(shop.path).some((one) => one.event.id === event.id);
    return event.sequence === 1 && event.data?.after?.firstName === 'Slow' && firstTime ? 500 : 200;
  });
  await shop.save('slow', { firstName: 'Slow' });
  await receiver.until(shop.path, 1);
  for (let i = 2; i <= 5; ++i) await shop.save('slow', { firstName: `Slow ${i}` });
  await shop.save('quick', { firstName: 'Quick' });
  await eventually(async () => (await shop.deliveries('?status=delivered')).length === 1);
  await eventually(async () => (await shop.deliveries('?status=waiting')).length === 5);
  const [failing] = await shop.deliveries('?order=asc');
  assert.deepEqual([failing!.attempts, failing!.answerStatus, failing!.endedAt], [1, 500, null]);
  assert.ok(failing!.trouble && Date.parse(failing!.nextAttemptAt!) > Date.now());

  await shop.settled('delivered', 6);
  const taken = receiver.heardAt(shop.path).filter(({ status }) => status === 200);
  const slow = taken.filter(({ event }) => String(event.data?.after?.firstName).startsWith('Slow'));
  assert.deepEqual(
    slow.map(({ event }) => event.sequence),
    [1, 2, 3, 4, 5],
  );
  assert.equal(taken[0]!.event.data?.after?.firstName, 'Quick');

  // Reading the list page by page gives the same deliveries, in both orders.
  const ids = (await shop.deliveries()).map(({ id }) => id);
  for (const [order, expected] of [
    ['desc', ids],
    ['asc', [...ids].reverse()],
  ] as const) {
    const seen: string[] = [];
    let cursor: string | null = '';
    do {
      const page: { data: Delivery[]; nextCursor: string | null } = await shop.json(
        'GET',
        `${shop.own}/deliveries?limit=4&order=${order}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      seen.push(...page.data.map(({ id }) => id));
      cursor = page.nextCursor;
    } while (cursor);
    assert.deepEqual(seen, expected);
  }
});

test('for a day after a rotation both secrets are valid', async () => {
  const shop = await newShop('rotated');
  const { signingSecret, ...shown } = await shop.json('POST', `${shop.own}/rotate-secret`);
  assert.notEqual(signingSecret, shop.secret);
  assert.deepEqual(await shop.json('GET', shop.own), shown);
  await shop.json('POST', `${shop.own}/test`, undefined, 202);
  const [heard] = await receiver.until(shop.path, 1);
  assert.match(heard!.headers['webhook-signature']!, /^v1,\S+ v1,\S+$/);
  verify(signingSecret, heard!);
  verify(shop.secret, heard!);
});

test('a test event arrives like an event, without contact and data', async () => {
  const shop = await newShop('trial', { kinds: ['purchase.*'] });
  for (const sequence of [1, 2]) {
    const trial: Delivery = await shop.json('POST', `${shop.own}/test`, undefined, 202);
    assert.deepEqual(
      [trial.kind, trial.contactId, trial.status, trial.sequence],
      ['webhook.test', null, 'waiting', sequence],
    );
    const heard = (await receiver.until(shop.path, sequence)).at(-1)!;
    verify(shop.secret, heard);
    assert.deepEqual(
      [heard.event.id, heard.event.type, heard.event.sequence, heard.event.data],
      [trial.id, 'webhook.test', sequence, null],
    );
  }
  await shop.json('PATCH', shop.own, { status: 'paused' });
  await expectProblem(await shop.send('POST', `${shop.own}/test`), 409, 'webhook-not-enabled', service.url);
});

test('a redelivery keeps its id and its sequence', async () => {
  const shop = await newShop('again');
  let broken = true;
  receiver.answer(shop.path, () => (broken ? 503 : 200));
  await shop.save('ada', { firstName: 'Ada' });
  await receiver.until(shop.path, 1);
  const [waiting] = await eventually(async () => {
    const found = await shop.deliveries('?status=waiting');
    return found[0]?.answerStatus === 503 && found;
  });
  assert.ok((await shop.json('GET', shop.own)).failingSince);
  broken = false;
  // Redelivering sends a waiting delivery now. A delivered one is sent once more, with its attempts reset.
  for (const [times, attempts] of [
    [2, 2],
    [3, 1],
  ] as const) {
    const again: Delivery = await shop.json('POST', `${shop.own}/redeliver`, { id: waiting!.id }, 202);
    assert.deepEqual([again.id, again.sequence, again.status, again.endedAt], [waiting!.id, 1, 'waiting', null]);
    const heard = await receiver.until(shop.path, times);
    assert.deepEqual([heard.at(-1)!.event.id, heard.at(-1)!.event.sequence], [waiting!.id, 1]);
    verify(shop.secret, heard.at(-1)!);
    const [done] = await shop.settled('delivered', 1);
    assert.equal(done!.attempts, attempts);
  }
  assert.equal((await shop.json('GET', shop.own)).failingSince, null);
  const unknown = { id: '0192f5c0-0000-7000-8000-000000000001' };
  await expectProblem(await shop.send('POST', `${shop.own}/redeliver`, unknown), 404, 'not-found', service.url);
});

test('a replay sends a time span again, in order, one replay at a time', async (t) => {
  const shop = await newShop('replay');
  for (let i = 1; i <= 4; ++i) {
    await shop.save('ada', { firstName: `Ada ${i}` });
    await sleep(5); // each event gets a different millisecond
  }
  await shop.settled('delivered', 4);
  const [, second, third] = await shop.deliveries('?order=asc');
  const period = {
    from: second!.receivedAt,
    to: new Date(Date.parse(third!.receivedAt) + 1).toISOString(),
  };
  // While the chains are locked, the replay makes no progress.
  const holder = spawn('psql', ['-XAtq', `${process.env.SHOPBELL_PG} dbname=shopbell`]);
  t.after(() => holder.kill());
  holder.stdin.write('BEGIN; LOCK TABLE webhook_chain; SELECT 1;\n');
  await once(holder.stdout, 'data');
  const begun = await shop.json('POST', `${shop.own}/replay`, period, 202);
  assert.deepEqual(begun.replay, period);
  assert.deepEqual((await shop.json('GET', shop.own)).replay, period);
  await expectProblem(await shop.send('POST', `${shop.own}/replay`, period), 409, 'replay-in-progress', service.url);
  holder.stdin.end('COMMIT;\n');
  await eventually(async () => (await shop.json('GET', shop.own)).replay === null, 30);
  const heard = await receiver.until(shop.path, 6);
  await shop.settled('delivered', 4);
  assert.deepEqual(
    heard.slice(4).map(({ event }) => [event.id, event.sequence]),
    [second, third].map((one) => [one!.id, one!.sequence]),
  );
  assert.equal(receiver.heardAt(shop.path).length, 6);
});

test('a paused endpoint gets events later, a disabled one never', async () => {
  const shop = await newShop('paused');
  const paused = await shop.json('PATCH', shop.own, { status: 'paused' });
  assert.deepEqual([paused.status, paused.reason], ['paused', 'requested']);
  await shop.save('ada', { firstName: 'Ada' });
  await eventually(async () => (await shop.deliveries('?status=waiting')).length === 1);
  await sleep(600);
  assert.deepEqual(receiver.heardAt(shop.path), []);
  const enabled = await shop.json('PATCH', shop.own, { status: 'enabled' });
  assert.deepEqual([enabled.status, enabled.reason], ['enabled', null]);
  await receiver.until(shop.path, 1);
  await shop.settled('delivered', 1);

  await shop.json('PATCH', shop.own, { status: 'disabled' });
  await shop.save('eva', { firstName: 'Eva' });
  // Another endpoint of the store got the event, so the reader has processed it for both.
  const url = `${receiver.url}/paused-beside`;
  await shop.json('POST', '/manage/webhooks/', { url }, 201);
  await shop.save('eva', { firstName: 'Ida' });
  await receiver.until('/paused-beside', 1);
  await shop.json('PATCH', shop.own, { status: 'enabled' });
  await shop.save('ada', { firstName: 'Augusta' });
  const heard = await receiver.until(shop.path, 2);
  assert.deepEqual(
    heard.map(({ event }) => event.data?.after?.firstName),
    ['Ada', 'Augusta'],
  );
  assert.deepEqual(
    heard.map(({ event }) => event.sequence),
    [1, 2],
  );
});

test('an endpoint that answers 410 is disabled', async () => {
  const shop = await newShop('gone');
  await shop.save('eva', { firstName: 'Eva' });
  await eventually(async () => (await shop.deliveries('?status=delivered')).length === 1);
  receiver.answer(shop.path, () => 410);
  await shop.save('ada', { firstName: 'Ada' });
  const gone = await eventually(async () => {
    const now = await shop.json('GET', shop.own);
    return now.status === 'disabled' && now;
  });
  assert.equal(gone.reason, 'gone');
  for (const query of ['?status=failed', '?status=failed&order=asc']) {
    const failed = await shop.deliveries(query);
    assert.deepEqual(
      failed.map(({ status, answerStatus }) => [status, answerStatus]),
      [['failed', 410]],
    );
  }
});

test('a redirect is not followed', async () => {
  const shop = await newShop('moved');
  receiver.answer(shop.path, (_, response) => {
    response.setHeader('location', `${receiver.url}/moved-here`);
    return 307;
  });
  await shop.save('ada', { firstName: 'Ada' });
  const [refused] = await eventually(async () => {
    const found = await shop.deliveries();
    return found[0]?.answerStatus === 307 && found;
  });
  assert.equal(refused!.status, 'waiting');
  assert.deepEqual(receiver.heardAt('/moved-here'), []);
});

test('a deleted endpoint gets no more events', async () => {
  const shop = await newShop('deleted');
  receiver.answer(shop.path, () => 500);
  await shop.save('ada', { firstName: 'Ada' });
  await receiver.until(shop.path, 1);
  const beside = `${receiver.url}/deleted-beside`;
  await shop.json('POST', '/manage/webhooks/', { url: beside }, 201);
  assert.equal((await shop.send('DELETE', shop.own)).status, 204);
  for (const path of [shop.own, `${shop.own}/deliveries`])
    await expectProblem(await shop.send('GET', path), 404, 'not-found', service.url);
  await shop.save('eva', { firstName: 'Eva' });
  await receiver.until('/deleted-beside', 1);
  assert.equal(receiver.heardAt(shop.path).length, 1);
});

test('the receivers of docs/webhooks.md accept valid signatures and reject others', async (t) => {
  const commands = { js: ['node', '--input-type=module', '-e'], python: ['python3', '-c'] };
  for (const [language, port] of Object.entries(samples) as [keyof typeof samples, number][]) {
    const url = `http://127.0.0.1:${port}/`;
    const shop = await newShop(`sample-${language}`, { url });
    const [command, ...args] = [...commands[language], blockOf('docs/webhooks.md', language)];
    const settings = { PORT: String(port), WEBHOOK_SECRET: shop.secret };
    const sample = spawn(command!, args, { env: { ...process.env, ...settings } });
    t.after(() => sample.kill());
    let [told, said] = ['', ''];
    sample.stdout.on('data', (text) => (told += text));
    sample.stderr.on('data', (text) => (said += text));
    const forged = { method: 'POST', body: '{"id":"1","type":"contact.created"}' };
    const refused = await eventually(() => fetch(url, forged).catch(() => sample.exitCode === null && undefined));
    assert.equal(refused.status, 401, said);
    await shop.json('POST', `${shop.own}/rotate-secret`);
    const ada = await shop.save('ada', { firstName: 'Ada' });
    const [delivery] = await shop.settled('delivered', 1);
    await shop.json('POST', `${shop.own}/redeliver`, { id: delivery!.id }, 202);
    await eventually(async () => {
      const [again] = await shop.deliveries('?status=delivered');
      return again && again.endedAt !== delivery!.endedAt;
    });
    assert.equal(told, `contact.created ${ada} 1\n`, said);
  }
});

test('the examples of docs/webhooks.md run', async () => {
  const shop = await newShop('page');
  runPage('docs/webhooks.md', shop.key, () => {}, { SHOPBELL_URL: service.url });
  const { data } = await shop.json('GET', '/manage/webhooks/?limit=1');
  assert.deepEqual(data[0].kinds, ['contact.*', 'purchase.created']);
});
