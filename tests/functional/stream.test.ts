// Publishing events to Kafka, with a real broker and kcat as a consumer.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

import { startKafka } from './kafka.ts';
import { blockOf } from './page.ts';
import { eventually, newStore, psql, ready, start } from './support.ts';

const kafka = startKafka();
const topic = 'shopbell-events';
const settings = { ...kafka.settings, SHOPBELL_KAFKA_INTAKE_TOPIC: '', SHOPBELL_KAFKA_STREAM_TOPIC: topic };
const { send } = newStore('Stream');

interface Message {
  partition: number;
  key: string;
  payload: string;
}
interface Told {
  id: string;
  kind: string;
  contactId: string | null;
  epoch: number;
  data: Record<string, unknown>;
}
/** Reads all messages of the topic. */
function heard(): Message[] {
  const ran = spawnSync('kcat', ['-C', '-b', kafka.settings.SHOPBELL_KAFKA_BROKERS!, '-t', topic, '-e', '-q', '-J'], {
    encoding: 'utf8',
  });
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Message);
}
const told = (message: Message) => JSON.parse(message.payload) as Told;
const of = (contact: string) => heard().filter(({ key }) => key === contact);
const degraded = async (instance: { privateUrl: string }) =>
  ((await ready(instance)) as { degraded?: string[] }).degraded ?? [];

// The process that the tests share does not use this topic, so this test's process is the only reader of the stream.
const begun = () => psql("SELECT count(owner) FROM log_position WHERE reader = 'stream'") === '64';

test('every event is published, in the order of its contact and by the published schema', async (t) => {
  const instance = await start(t, settings);
  await eventually(async () => (await ready(instance)).ready && begun() && (await degraded(instance)).length === 0, 60);
  const made = await send('PATCH', '/contacts/email/stream@example.com?createContact=true', { firstName: 'A' });
  const { id } = (await made.json()) as { id: string };
  for (const firstName of ['B', 'C', 'D']) await send('PATCH', '/contacts/email/stream@example.com', { firstName });
  const bell = { name: 'Bell', url: 'https://shop.example.com/bell' };
  assert.equal((await send('PATCH', '/products/product-id/sku-1', bell)).status, 201);
  await eventually(() => of(id).length === 4, 30);
  const messages = of(id);
  assert.equal(new Set(messages.map(({ partition }) => partition)).size, 1);
  assert.deepEqual(
    messages.map((message) => told(message).kind),
    ['contact.created', 'contact.updated', 'contact.updated', 'contact.updated'],
  );
  assert.deepEqual(
    messages.map((message) => (told(message).data.after as { firstName: string }).firstName),
    ['A', 'B', 'C', 'D'],
  );
  const { $defs: kinds } = JSON.parse(readFileSync('docs/api/stream.json', 'utf8')) as {
    $defs: Record<string, { required: string[]; properties: Record<string, unknown> }>;
  };
  for (const message of heard().map(told)) {
    const schema = kinds[message.kind]!;
    assert.deepEqual(Object.keys(message), Object.keys(schema.properties));
    assert.deepEqual(Object.keys(message), schema.required);
    assert.equal(message.epoch, 1);
  }
  // The kcat command of docs/kafka.md shows the same messages.
  const shown = spawnSync('bash', ['-euc', blockOf('docs/kafka.md', 'sh')], {
    encoding: 'utf8',
    env: { ...process.env, ...kafka.settings },
  });
  assert.equal(shown.status, 0, shown.stderr);
  assert.deepEqual(
    shown.stdout.trim().split('\n').sort(),
    heard()
      .map(({ payload }) => payload)
      .sort(),
  );
  // Internal events are not published.
  assert.deepEqual(
    heard().filter((message) => !told(message).kind.includes('.')),
    [],
  );
  // Events that were written while the service was stopped are published once after its start.
  assert.equal((await instance.stop()).code, 0);
  await send('PATCH', '/contacts/email/stream@example.com', { firstName: 'E' });
  const again = await start(t, settings);
  await eventually(() => of(id).length === 5, 30);
  assert.equal(new Set(heard().map((message) => told(message).id)).size, heard().length);
  assert.equal((await again.stop()).code, 0);
});

test('without a broker it waits, reports it, and catches up when one is back', async (t) => {
  kafka.kill();
  const instance = await start(t, settings);
  await eventually(async () => (await ready(instance)).ready);
  await eventually(async () => /kafka receives no events of the stream/.test((await degraded(instance)).join()));
  const made = await send('PATCH', '/contacts/email/late@example.com?createContact=true', {});
  const { id } = (await made.json()) as { id: string };
  kafka.resume();
  await eventually(() => of(id).length === 1, 60);
  assert.deepEqual(await degraded(instance), []);
  // A process that waits for a broker still shuts down in time.
  kafka.kill();
  await send('PATCH', '/contacts/email/late@example.com', { firstName: 'Late' });
  const metrics = async () => (await fetch(`${instance.privateUrl}/metrics`)).text();
  await eventually(async () => /^shopbell_log_lag_events\{reader="stream"\} [1-9]/m.test(await metrics()));
  assert.equal((await instance.stop()).code, 0);
  kafka.resume();
});
