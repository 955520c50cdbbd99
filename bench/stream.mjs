// Runs the rounds of bench/stream. Needs the environment of `tools/try --exec`, and the broker that the service uses.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { insertEvents } from './events_data.mjs';
import { PostgreSQL, stopAll } from './engines.mjs';
import { facts, interleave, say, until, untilAll, wholeNumber } from './rounds.mjs';
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
const brokerPid = Number(process.env.BROKER_PID);
let firstXid; // id of the first transaction that wrote events of the last round
const {
  SHOPBELL_KAFKA_BROKERS: brokers,
  SHOPBELL_KAFKA_STREAM_TOPIC: topic,
  SHOPBELL_METRICS_URL: metricsUrl,
} = process.env;

const published = async () =>
  Number(
    (await (await fetch(`${metricsUrl}/metrics`)).text()).match(/^shopbell_stream_published_total (\S+)/m)?.[1] ?? 0,
  );

// Writes events in transactions of the size of bulk requests. Kafka is stopped meanwhile, so that a backlog builds up
// over several ticks.
const together = 500;
function pileUp(database, account) {
  process.kill(brokerPid, 'SIGSTOP');
  try {
    database.ask(`DO $$ BEGIN
      FOR i IN 1..${Math.ceil(events / together)} LOOP ${insertEvents(account, together, people, `(i - 1) * ${together}`)}; COMMIT; END LOOP;
    END $$`);
  } finally {
    process.kill(brokerPid, 'SIGCONT');
  }
}

const settled = (database) =>
  until(
    'an end of the events',
    () =>
      database.ask(`
  SELECT coalesce(bool_and(tick = (SELECT max(tick) FROM log_tick)), false) FROM log_position WHERE reader = 'stream'`) ===
      't',
  );

// Measures the time from resuming Kafka until the last event is durable.
async function tellAll(database, account, write) {
  await settled(database);
  database.ask('CHECKPOINT');
  firstXid = database.ask('SELECT pg_snapshot_xmax(pg_current_snapshot())');
  const before = await published();
  write(database, account);
  const began = performance.now();
  await untilAll('messages', events, async () => (await published()) - before);
  return events / ((performance.now() - began) / 1000);
}

function run(command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  if (status !== 0) throw new Error(`${command}: ${stderr}`);
  return stdout;
}

const produceAll = (bytes) =>
  Number(run(`${checkout}build/release/bare_producer`, [brokers, topic, `${events}`, `${bytes}`]));

// Baseline: reads the same events with the reader's columns and discards them.
function copyAll(database) {
  const began = performance.now();
  run('psql', [
    '-qAtX',
    database.connection,
    '-o',
    '/dev/null',
    '-c',
    `COPY (SELECT account_id, id, uid, lane, contact_id, contact_seq, subject, kind, occurred_at, received_at, trigger, payload
             FROM event WHERE xid >= '${firstXid}' ORDER BY id) TO STDOUT`,
  ]);
  return events / ((performance.now() - began) / 1000);
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  const account = database.ask('SELECT account_id FROM account LIMIT 1');
  await until('a stream', () => database.ask("SELECT count(owner) FROM log_position WHERE reader = 'stream'") === '64');
  await tellAll(database, account, pileUp); // warm-up: loads partition metadata and fills caches
  const bytes = 340; // size of the Kafka message of one benchmark event
  const [producer, copy, atOnce] = [[], [], []];
  const measured = await interleave(
    'stream',
    rounds,
    () => tellAll(database, account, pileUp),
    () => {
      producer.push(produceAll(bytes));
      copy.push(copyAll(database));
      return Math.min(producer.at(-1), copy.at(-1));
    },
  );
  for (let round = 0; round < rounds; ++round) {
    atOnce.push(await tellAll(database, account, () => database.ask(insertEvents(account, events, people))));
  }
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds: 0, quick: options.quick, events }),
    paths: [
      ratio({
        name: 'log to Kafka',
        what: `${events} events, ${together} a transaction, until all are durable : the slower of the two below`,
        unit: '/s',
        least: 0.6,
        ...measured,
      }),
      ratio({
        name: 'bare producer',
        what: `librdkafka alone, messages of ${bytes} bytes`,
        unit: '/s',
        service: producer,
      }),
      ratio({ name: 'bare COPY', what: 'the same rows out of PostgreSQL', unit: '/s', service: copy }),
      ratio({
        name: 'log to Kafka, at once',
        what: 'as many in one transaction, from its commit',
        unit: '/s',
        service: atOnce,
      }),
    ],
    process: [],
  };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/stream: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
