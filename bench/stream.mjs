// The rounds of bench/stream. Needs the environment of `tools/try --exec`, and a broker whose settings the service has.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { insertEvents } from './events_data.mjs';
import { PostgreSQL, stopAll } from './engines.mjs';
import { facts, interleave, say, until, wholeNumber } from './rounds.mjs';
import { print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    rounds: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-stream.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const events = wholeNumber(options, 'events', options.quick ? 4_000 : 200_000, 10_000_000);
const people = 10_000;
const { SHOPBELL_KAFKA_BROKERS: brokers, SHOPBELL_KAFKA_STREAM_TOPIC: topic, SHOPBELL_METRICS_URL: metricsUrl } = process.env;

const published = async () =>
  Number((await (await fetch(`${metricsUrl}/metrics`)).text()).match(/^shopbell_stream_published_total (\S+)/m)?.[1] ?? 0);

const settled = (database) => until('an end of the events', () => database.ask(`
  SELECT coalesce(bool_and(tick = (SELECT max(tick) FROM log_tick)), false) FROM log_position WHERE reader = 'stream'`) === 't');

// From the commit of many events to the last of them durable in Kafka.
async function tellAll(database, account) {
  await settled(database);
  database.ask('CHECKPOINT');
  const before = await published();
  database.ask(insertEvents(account, events, people));
  const began = performance.now();
  await until(`message ${events}`, async () => (await published()) >= before + events);
  return events / ((performance.now() - began) / 1000);
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

const produceAll = (bytes) => Number(run(`${checkout}build/release/bare_producer`, [brokers, topic, `${events}`, `${bytes}`]));

// The newest batch, as the reader asks for it, out of the server and no further.
function copyAll(database) {
  const xid = database.ask('SELECT xid FROM event ORDER BY xid DESC LIMIT 1');
  const began = performance.now();
  run('psql', ['-qAtX', database.connection, '-o', '/dev/null', '-c',
    `COPY (SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at, trigger, payload
             FROM event WHERE xid = '${xid}' ORDER BY id) TO STDOUT`]);
  return events / ((performance.now() - began) / 1000);
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  const account = database.ask('SELECT account_id FROM account LIMIT 1');
  await until('a stream', () => database.ask("SELECT count(owner) FROM log_position WHERE reader = 'stream'") === '64');
  await tellAll(database, account); // makes the topic's partitions known, and the caches warm
  const bytes = 340; // a message of such an event
  const [producer, copy] = [[], []];
  const measured = await interleave('stream', rounds, () => tellAll(database, account), () => {
    producer.push(produceAll(bytes));
    copy.push(copyAll(database));
    return Math.min(producer.at(-1), copy.at(-1));
  });
  const report = { ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds: 0, quick: options.quick, events }),
    paths: [
      ratio({ name: 'log to Kafka', what: `${events} events, from their commit until all are durable : the slower of the two below`,
        unit: '/s', least: 0.6, ...measured }),
      ratio({ name: 'bare producer', what: `librdkafka alone, messages of ${bytes} bytes`, unit: '/s', service: producer }),
      ratio({ name: 'bare COPY', what: 'the same rows out of PostgreSQL', unit: '/s', service: copy }),
    ], process: [] };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/stream: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
