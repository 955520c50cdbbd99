// Events through Kafka over the API, with a real broker.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';

import { startKafka } from './kafka.ts';
import { ask, eventually, expectProblem, newStore, psql, ready, shopbell, start } from './support.ts';

const kafka = startKafka();
const { settings } = kafka;

const { send, key } = newStore('Intake');
const created = async (path: string, body: object) => {
  const response = await send('POST', path, body);
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as { id: string };
};
const integration = await created('/custom-integrations/', { name: 'Shop' });
await created(`/custom-integrations/${integration.id}/custom-event-types/`, {
  name: 'Cart',
  direction: 'receive',
  alias: 'cart',
  fields: [{ id: 'cartId', name: 'Cart', type: 'text', required: true }],
});
await send('PATCH', '/contacts/email/eva@example.com?createContact=true', { externalId: 'e-1' });

const degraded = async (instance: { privateUrl: string }) =>
  ((await ready(instance)) as { degraded?: string[] }).degraded ?? [];
/** A service with Kafka intake. */
async function open(t: TestContext) {
  const instance = await start(t, settings);
  await eventually(async () => (await ready(instance)).ready && (await degraded(instance)).length === 0, 60);
  return instance;
}
const event = (more: object = {}) => ({
  contact: { email: 'eva@example.com' },
  payload: { cartId: 'c' },
  ...more,
});
const async_ = { prefer: 'respond-async' };
const post = (at: string, body: object, headers: object = async_, query = '') =>
  send('POST', `/custom-events/alias/cart${query}`, body, headers, at);
const written = (id: string) => psql(`SELECT count(*) FROM event WHERE uid = '${id}'`) === '1';
const metricsOf = async ({ privateUrl }: { privateUrl: string }) => (await fetch(`${privateUrl}/metrics`)).text();
const isLoaded = (pid: number | string) => readFileSync(`/proc/${pid}/maps`, 'utf8').includes('librdkafka');
interface Rejected {
  id: string;
  code: string;
  event: object;
}
const rejected = async (query = '') =>
  ((await (await send('GET', `/manage/rejected-events/${query}`)).json()) as { data: Rejected[] }).data;

test('without brokers in the configuration Kafka is not loaded', async (t) => {
  const plain = await start(t);
  await eventually(async () => (await ready(plain)).ready);
  assert(!isLoaded(plain.process.pid!));
  assert(!/kafka/i.test(plain.log()));
  const response = await post(plain.url, event());
  assert.equal(response.status, 201);
  assert.equal(response.headers.get('preference-applied'), null);
});

test('an event is acknowledged once Kafka has it, and written soon after', async (t) => {
  const instance = await open(t);
  assert(isLoaded(instance.process.pid!));
  const response = await post(instance.url, event());
  const receipt = (await response.json()) as { id: string; status: string; receivedAt: string };
  assert.equal(response.status, 202);
  assert.equal(response.headers.get('preference-applied'), 'respond-async');
  assert.deepEqual(Object.keys(receipt), ['id', 'status', 'receivedAt']);
  assert.equal(receipt.status, 'queued');
  await eventually(() => written(receipt.id), 30);
  assert.equal(
    psql(
      `SELECT date_trunc('milliseconds', occurred_at) = '${receipt.receivedAt}' FROM event WHERE uid = '${receipt.id}'`,
    ),
    't',
  );
  // Requests that need data from the database are not queued but written directly.
  assert.equal((await post(instance.url, event())).status, 202);
  assert.equal((await post(instance.url, event(), {})).status, 201);
  assert.equal((await post(instance.url, event(), { ...async_, 'idempotency-key': 'one' })).status, 201);
  await expectProblem(await post(instance.url, event({ payload: {} })), 422, 'invalid-body', instance.url);

  const lines = [event(), { nonsense: true }, event({ eventId: 'line' })];
  const many = await ask(
    '/custom-events/alias/cart',
    {
      method: 'POST',
      headers: { ...async_, authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: lines.map((line) => JSON.stringify(line)).join('\n'),
    },
    instance.url,
  );
  const told = (await many.json()) as { queued: number; rejected: number; results: { status: string; id: string }[] };
  assert.deepEqual([many.status, told.queued, told.rejected], [200, 2, 1]);
  assert.deepEqual(
    told.results.map((result) => result.status),
    ['queued', 'rejected', 'queued'],
  );
  await eventually(() => written(told.results[0]!.id) && written(told.results[2]!.id), 30);
});

test('new contacts and a slow database do not stall the queue', async (t) => {
  const instance = await open(t);
  assert.equal((await post(instance.url, event())).status, 202); // now the service has cached the event type
  // Send more concurrent events than the service can write within a transaction's timeout.
  psql(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.15); RETURN NEW; END $$;
    CREATE TRIGGER dawdle BEFORE INSERT ON contact FOR EACH ROW EXECUTE FUNCTION dawdle()`);
  t.after(() => psql('DROP FUNCTION dawdle CASCADE'));
  const people = 120;
  const lines = [...Array(3 * people).keys()].map((i) =>
    JSON.stringify({
      contact: { email: `new-${i % people}@example.com` },
      payload: { cartId: `${Math.floor(i / people)}` },
    }),
  );
  const response = await ask(
    '/custom-events/alias/cart?createContact=true',
    {
      method: 'POST',
      headers: { ...async_, authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n'),
    },
    instance.url,
  );
  const told = (await response.json()) as { queued: number };
  assert.equal(told.queued, lines.length, JSON.stringify(told).slice(0, 500));
  const orders = `SELECT string_agg(payload->>'cartId', '' ORDER BY e.id) AS told FROM event e
    JOIN contact c USING (account_id, contact_id) WHERE c.email LIKE 'new-%' GROUP BY contact_id`;
  await eventually(() => psql(`SELECT count(*) FROM (${orders}) o WHERE told = '012'`) === `${people}`, 90);
});

const topic = ['-t', settings.SHOPBELL_KAFKA_INTAKE_TOPIC!];
const kcat = (args: string[], input = '') => {
  const ran = spawnSync('kcat', ['-b', settings.SHOPBELL_KAFKA_BROKERS!, ...args], { encoding: 'utf8', input });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
};
interface Sent {
  partition: string;
  headers: string[];
  value: string;
}
/** The message of an event in Kafka. */
const inKafka = (id: string): Sent => {
  const [partition, headers, value] = kcat(['-C', ...topic, '-e', '-q', '-f', '%p\t%h\t%s\n'])
    .split('\n')
    .map((line) => line.split('\t'))
    .find(([, , message]) => message?.includes(id))!;
  return { partition: partition!, headers: headers!.split(','), value: value! };
};
const produce = ({ partition, headers, value }: Sent) =>
  kcat(['-P', ...topic, '-p', partition, ...headers.flatMap((header) => ['-H', header])], value);
const queued = async (at: string, more: object = {}) => {
  const response = await post(at, event(more));
  assert.equal(response.status, 202, await response.clone().text());
  return ((await response.json()) as { id: string }).id;
};
const counts = (name: string, count: number) => async (instance: { privateUrl: string }) =>
  new RegExp(`^shopbell_intake_${name}_total ${count}$`, 'm').test(await metricsOf(instance));

test('a message that is in Kafka twice is written once', async (t) => {
  const instance = await open(t);
  const first = await queued(instance.url);
  await eventually(() => written(first), 30);
  // Like a producer that missed the acknowledgement.
  for (let i = 0; i < 2; ++i) produce(inKafka(first));
  // The next event of the same contact shows when the duplicates have been read.
  const next = await queued(instance.url);
  await eventually(() => written(next), 30);
  assert(written(first));
  await eventually(() => counts('again', 2)(instance));
});

test('a forged or changed message is skipped, and does not stop the reader', async (t) => {
  const instance = await open(t);
  const first = await queued(instance.url);
  await eventually(() => written(first), 30);
  const sent = inKafka(first);
  const origin = sent.headers.find((header) => header.startsWith('origin='))!;
  const [, sender] = /^origin=(\S+) /.exec(origin)!;
  const other = { ...sent, value: sent.value.replace(first, '01a1e3d8-0000-7000-8000-000000000001') };
  const forged: Sent[] = [
    { ...other, headers: [] },
    { ...other, headers: [origin] },
    other, // the signature is of another message
    { ...other, headers: [`origin=${sender} 999999`, ...sent.headers.filter((header) => header !== origin)] },
    { ...sent, partition: sent.partition === '0' ? '1' : '0' }, // replayed elsewhere
    { ...other, headers: [origin, 'signature=no'], value: '{"account":1}' },
  ];
  forged.forEach(produce);
  const next = await queued(instance.url);
  await eventually(() => written(next), 30);
  await eventually(() => counts('forged', forged.length)(instance), 30);
  assert.equal(psql(`SELECT count(*) FROM event WHERE uid = '01a1e3d8-0000-7000-8000-000000000001'`), '0');
  assert.equal(psql(`SELECT count(*) FROM event WHERE uid = '${first}'`), '1');
  assert.match(instance.log(), /queued message has no valid signature.*"offset":\d+/);
});

test('unsigned messages are accepted until the processes that send them have been gone for a while', async (t) => {
  const instance = await open(t);
  const first = await queued(instance.url);
  await eventually(() => written(first), 30);
  const sent = inKafka(first);
  const unsigned = (end: string) => {
    const id = `01a1e3d8-0000-7000-8000-00000000000${end}`;
    produce({ ...sent, headers: [], value: sent.value.replace(first, id) });
    return id;
  };
  // A process of the previous release sends a heartbeat.
  const ofTopic = psql(`SELECT topic FROM intake_position WHERE owner IS NOT NULL LIMIT 1`);
  const old = '01a1e3d8-1111-7000-8000-000000000000';
  psql(`INSERT INTO running_process (process, version) VALUES ('${old}', '0.1.0');
    INSERT INTO heartbeat (at, process) VALUES (now(), '${old}');
    SELECT count(*) FROM hold_intake('${old}', '${ofTopic}', 3, '4 seconds')`);
  const accepted = unsigned('2');
  await eventually(() => written(accepted), 30);
  psql(`SELECT leave_intake('${old}'); SELECT leave('${old}');
    UPDATE intake_signing SET unsigned_at = now() - interval '1 hour'`);
  await eventually(() => psql('SELECT count(*) FROM intake_signing WHERE signed_from IS NULL') === '0', 30);
  const refused = unsigned('3');
  const next = await queued(instance.url);
  await eventually(() => written(next), 30);
  await eventually(() => counts('forged', 1)(instance), 30);
  assert(!written(refused));
});

test('the reader survives an unexpected exception', async (t) => {
  const instance = await open(t);
  const first = await queued(instance.url);
  await eventually(() => written(first), 30);
  for (const name of ['advance_intake', 'hold_intake']) {
    // A result that no version of the database returns.
    const definition = psql(`SELECT pg_get_functiondef(p.oid) FROM pg_proc p
      WHERE proname = '${name}' ORDER BY pronargs DESC LIMIT 1`);
    const row =
      name === 'hold_intake'
        ? '0::smallint, NULL::bigint, NULL::bigint, false'
        : 'NULL::smallint, NULL::uuid, 1::bigint';
    psql(
      definition.replace(
        /AS \$function\$[\s\S]*\$function\$/,
        `AS $function$ BEGIN RETURN QUERY SELECT ${row}; END $function$`,
      ),
    );
    const during = await queued(instance.url);
    const failures = async () =>
      Number(/^shopbell_intake_failures_total (\d+)$/m.exec(await metricsOf(instance))?.[1] ?? 0);
    const before = name === 'hold_intake' ? await failures() : 0;
    await eventually(async () => (await failures()) > before, 30);
    psql(definition);
    await eventually(() => written(during), 30);
  }
  assert.match(instance.log(), /intake failed/);
});

test('rejected events are listed, retried and deleted', async (t) => {
  const instance = await open(t);
  await post(instance.url, event());
  const somebody = { contact: { email: 'later@example.com' } };
  const queue = async (body: object) => {
    const response = await post(instance.url, event(body));
    assert.equal(response.status, 202, await response.clone().text());
    return ((await response.json()) as { id: string }).id;
  };
  const unknown = await queue(somebody);
  const first = await queue({ eventId: 'twice' });
  const same = await queue({ eventId: 'twice' });
  const other = await queue({ eventId: 'twice', payload: { cartId: 'd' } });
  await eventually(async () => (await rejected()).length === 3, 30);
  assert(written(first));
  assert.deepEqual(
    (await rejected('?order=asc')).map(({ id, code }) => [id, code]),
    [
      [unknown, 'contact-not-found'],
      [same, 'duplicate'],
      [other, 'event-exists'],
    ],
  );
  assert.deepEqual((await rejected()).at(-1)!.event, event(somebody));

  const path = `/manage/rejected-events/${unknown}`;
  await expectProblem(await send('POST', `${path}/retry`), 422, 'contact-not-found');
  await send('PATCH', '/contacts/email/later@example.com?createContact=true', {});
  const retried = await send('POST', `${path}/retry`);
  const receipt = (await retried.json()) as { id: string; status: string };
  assert.deepEqual([retried.status, receipt.id, receipt.status], [201, unknown, 'accepted']);
  assert(written(unknown));
  await expectProblem(await send('POST', `${path}/retry`), 404, 'not-found');

  assert.equal((await send('DELETE', `/manage/rejected-events/${same}`)).status, 204);
  await expectProblem(await send('DELETE', `/manage/rejected-events/${same}`), 404, 'not-found');
  // Erasing a contact removes its rejected events too.
  assert.equal((await send('DELETE', '/contacts/email/eva@example.com')).status, 204);
  assert.deepEqual(await rejected(), []);
  const again = await send('PATCH', '/contacts/email/eva@example.com?createContact=true', {});
  assert.equal(again.status, 201, await again.text());
});

test('doctor checks the topics', async (t) => {
  const kafkaLine = (more: object) => {
    const { stdout } = shopbell(['doctor', '--json'], undefined, { ...settings, ...more });
    return (JSON.parse(stdout) as { check: string; grade: string; found: string; mend: string | null }[]).find(
      ({ check }) => check === 'kafka',
    )!;
  };
  assert.deepEqual(kafkaLine({ SHOPBELL_KAFKA_INTAKE_TOPIC: 'not-yet' }), {
    check: 'kafka',
    grade: 'ok',
    found: 'topic not-yet will be created when the service starts',
    mend: null,
  });
  await open(t);
  assert.match(kafkaLine({}).found, /^topic shopbell-intake accepts events$/);
  assert.deepEqual(
    [kafkaLine({}).grade, kafkaLine({ SHOPBELL_KAFKA_BROKERS: '' }).found],
    ['ok', 'Kafka is not configured'],
  );
  const risky = kafkaLine({ SHOPBELL_KAFKA_ALLOW_SINGLE_BROKER: 'false' });
  assert.equal(risky.grade, 'fault');
  assert.match(risky.found, /could lose acknowledged messages/);
  const away = kafkaLine({ SHOPBELL_KAFKA_BROKERS: '127.0.0.1:1' });
  assert.equal(away.grade, 'warn');
  assert.match(away.mend!, /start the brokers/);
});

test('a topic that could lose acknowledged events is refused', () => {
  const careful = { ...settings, SHOPBELL_KAFKA_ALLOW_SINGLE_BROKER: 'false' };
  const ran = shopbell(['run'], undefined, careful);
  assert.notEqual(ran.status, 0);
  assert.match(ran.stderr, /could lose acknowledged messages.*allow_single_broker/);
});

test('a topic with another number of partitions is refused', async (t) => {
  await open(t); // creates the topic
  const ran = shopbell(['run'], undefined, { ...settings, SHOPBELL_KAFKA_INTAKE_PARTITIONS: '5' });
  assert.notEqual(ran.status, 0);
  assert.match(ran.stderr, /topic shopbell-intake has 3 partitions, but kafka.intake_partitions is 5/);
});

test('the number of partitions is configured', async (t) => {
  const instance = await start(t, {
    ...settings,
    SHOPBELL_KAFKA_INTAKE_TOPIC: 'wide',
    SHOPBELL_KAFKA_INTAKE_PARTITIONS: '5',
  });
  await eventually(async () => (await ready(instance)).ready && (await degraded(instance)).length === 0, 60);
  await eventually(async () => /^shopbell_intake_partitions 5$/m.test(await metricsOf(instance)), 30);
  assert.match(await metricsOf(instance), /^# HELP shopbell_intake_partitions .* out of 5,/m);
  const ids: string[] = [];
  for (let i = 0; i < 40; ++i) {
    const response = await post(
      instance.url,
      event({ contact: { email: `wide-${i}@example.com` } }),
      async_,
      '?createContact=true',
    );
    assert.equal(response.status, 202, await response.clone().text());
    ids.push(((await response.json()) as { id: string }).id);
  }
  await eventually(() => ids.every(written), 60);
  const used = psql(`SELECT count(*) FROM intake_position WHERE next_offset > 0 AND topic IN (
    SELECT topic FROM intake_position GROUP BY topic HAVING count(*) = 5)`);
  assert.equal(used, '5');
});

test('without a broker the service runs, reports it, and recovers when the broker is back', async (t) => {
  kafka.kill();
  const instance = await start(t, { ...settings, SHOPBELL_KAFKA_STREAM_TOPIC: 'shopbell-events' });
  await eventually(async () => (await ready(instance)).ready);
  assert.match((await degraded(instance)).join(), /kafka takes no events/);
  const metrics = await metricsOf(instance);
  assert.deepEqual(
    [...metrics.matchAll(/^# TYPE (shopbell_(?:intake|stream)_\w+) /gm)].map(([, name]) => name).sort(),
    readFileSync('tests/functional/metrics-kafka.golden.txt', 'utf8').trim().split('\n'),
  );
  assert.equal((await post(instance.url, event())).status, 201);
  kafka.resume();
  await eventually(async () => (await degraded(instance)).length === 0, 60);
  const response = await post(instance.url, event());
  assert.equal(response.status, 202, await response.clone().text());
  const { id } = (await response.json()) as { id: string };
  await eventually(() => written(id), 30);
  // The broker also fails while the service runs.
  kafka.kill();
  await eventually(async () => (await post(instance.url, event({ eventId: `${Math.random()}` }))).status === 201, 30);
  assert.equal((await ready(instance)).status, 200);
  kafka.resume();
  await eventually(async () => (await post(instance.url, event())).status === 202, 60);
});
