// Runs the rounds of bench/log. Needs the environment of `tools/try --exec`. The measured reader is that of webhooks:
// it writes one delivery row per event and endpoint, numbered within the contact. The endpoint is paused, so nothing is
// sent.
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { fill } from './contacts_data.mjs';
import { columns, eventOf, insertEvents } from './events_data.mjs';
import { PostgreSQL, cpuSeconds, pgbenchLatency, stopAll } from './engines.mjs';
import { facts, interleave, patienceMs, say, until, wholeNumber } from './rounds.mjs';
import { print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-log.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const events = wholeNumber(options, 'events', options.quick ? 4_000 : 200_000, 10_000_000);
const people = options.quick ? 500 : 10_000;
const page = 2_000; // number of events that a reader processes in one transaction

const { SHOPBELL_URL: url, SHOPBELL_KEY: key, SHOPBELL_PID: pid } = process.env;
const ask = async (method, path, body) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
};

// Waits until every lane has read all events.
const settled = (database) =>
  until(
    'an end of the events',
    () =>
      database.ask(`
  WITH newest AS (SELECT tick, shows FROM log_tick ORDER BY tick DESC LIMIT 1)
  SELECT coalesce(bool_and(p.tick = (SELECT tick FROM newest)), false)
     AND NOT EXISTS (SELECT FROM event e WHERE e.xid >= (SELECT pg_snapshot_xmin(shows) FROM newest)
                                           AND NOT pg_visible_in_snapshot(e.xid, (SELECT shows FROM newest)))
    FROM log_position p WHERE p.reader = 'webhooks'`) === 't',
  );

// Measures the CPU time of the idle process and its database.
async function idle(database) {
  const seconds = options.quick ? 2 : 20;
  await sleep(options.quick ? 1000 : 5000);
  const commits = () =>
    Number(database.ask('SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()'));
  const [cpu, perSecond] = [[], []];
  for (let round = 0; round < rounds; ++round) {
    const [cpuBefore, commitsBefore, began] = [cpuSeconds(pid), commits(), performance.now()];
    await sleep(seconds * 1000);
    const took = (performance.now() - began) / 1000;
    cpu.push(((cpuSeconds(pid) - cpuBefore) / took) * 100);
    perSecond.push((commits() - commitsBefore) / took);
    say(`idle, round ${round + 1} of ${rounds}`);
  }
  return [
    ratio({
      name: 'idle cpu',
      what: 'of one core, the process, while nothing happens',
      unit: '%',
      most: 1,
      service: cpu,
    }),
    ratio({
      name: 'idle commits',
      what: 'transactions in the database, while nothing happens',
      unit: '/s',
      service: perSecond,
    }),
  ];
}

const empty = (database) => {
  database.ask('TRUNCATE webhook_delivery, webhook_chain, bare_delivery, bare_chain');
  database.ask('CHECKPOINT');
};

// Polls for the effect in one session: a new session per poll would take CPU time from the service.
const awaitEffect = (database, event) =>
  database.ask(`DO $$ BEGIN
  PERFORM set_config('enable_seqscan', 'off', false); -- the table was empty when this is planned
  FOR i IN 1..${patienceMs / 10} LOOP
    IF EXISTS (SELECT FROM webhook JOIN webhook_delivery USING (account_id, webhook_id) WHERE event_uid = '${event}') THEN RETURN; END IF;
    COMMIT;
    PERFORM pg_sleep(0.01);
  END LOOP;
  RAISE EXCEPTION 'no effect of the last event';
END $$`);

// Measures the time from the commit of many events to the commit of their last effect.
async function readAll(database, account) {
  await settled(database);
  empty(database);
  const last = database.ask(
    `WITH added AS (${insertEvents(account, events, people)} RETURNING id, uid) SELECT uid FROM added ORDER BY id DESC LIMIT 1`,
  );
  const began = performance.now();
  awaitEffect(database, last);
  const rate = events / ((performance.now() - began) / 1000);
  await settled(database);
  const there = Number(database.ask('SELECT count(*) FROM webhook_delivery'));
  if (there !== events) throw new Error(`${there} effects of ${events} events`);
  return rate;
}

// Baseline: writes the same rows inside the server, over one connection, with the reader's transaction size.
async function upsertAll(database) {
  empty(database);
  const told =
    'account_id, webhook_id, event_uid, event_id, received_at, kind, lane, contact_id, sequence, state, due_at';
  const began = performance.now();
  database.ask(`DO $$ BEGIN
    FOR i IN 0..${Math.ceil(events / page) - 1} LOOP
      INSERT INTO bare_chain (account_id, webhook_id, lane, contact_id, last_sequence, head)
        SELECT account_id, webhook_id, lane, contact_id, max(sequence), (array_agg(event_uid ORDER BY sequence))[1]
          FROM effect WHERE place > i * ${page} AND place <= (i + 1) * ${page} GROUP BY 1, 2, 3, 4
        ON CONFLICT (account_id, webhook_id, lane, contact_id) DO UPDATE SET last_sequence = excluded.last_sequence;
      INSERT INTO bare_delivery (${told})
        SELECT ${told} FROM effect WHERE place > i * ${page} AND place <= (i + 1) * ${page} ORDER BY place;
      COMMIT;
    END LOOP;
  END $$`);
  return events / ((performance.now() - began) / 1000);
}

async function effect(database, account) {
  await readAll(database, account); // creates the rows that the baseline then writes again
  database.ask(`CREATE TABLE effect AS SELECT row_number() OVER (ORDER BY id) AS place, * FROM webhook_delivery;
    CREATE UNIQUE INDEX ON effect (place); ANALYZE effect`);
  const measured = await interleave(
    'effect',
    rounds,
    () => readAll(database, account),
    () => upsertAll(database),
  );
  return [
    ratio({
      name: 'log to effect',
      what: `${events} events, from their commit to the last effect : upsert of the same rows, ${page} a transaction`,
      unit: '/s',
      least: 0.6,
      ...measured,
    }),
  ];
}

const millisecondsTo = (database, share) =>
  Number(
    database.ask(`SELECT percentile_cont(${share}) WITHIN GROUP
  (ORDER BY extract(epoch FROM effect_at - received_at) * 1000) FROM webhook_delivery`),
  );

// Sends single events at a fixed rate and measures from the start of an event's transaction to the row of its effect.
async function latency(database, account) {
  const [rate, seconds] = [1_000, options.quick ? 1 : 10];
  const statement = {
    account,
    sql: `\\set n random(1, ${people})\nINSERT INTO event (${columns}) VALUES (${eventOf(':account::bigint', ':n::bigint')});\n`,
  };
  const [p50, p99] = [[], []];
  for (let round = 0; round < rounds; ++round) {
    await settled(database);
    empty(database);
    await pgbenchLatency(database, statement, 16, rate, seconds);
    await settled(database);
    p50.push(millisecondsTo(database, 0.5));
    p99.push(millisecondsTo(database, 0.99));
    say(`latency, round ${round + 1} of ${rounds}`);
  }
  return [
    ratio({
      name: 'effect p50',
      what: `${rate} events/s, from the start of an event's transaction to its effect`,
      unit: 'ms',
      service: p50,
    }),
    ratio({ name: 'effect p99', what: 'the same', unit: 'ms', service: p99 }),
  ];
}

// Starts a session whose transaction writes an event and then stays open for `seconds`.
function openTransaction(database, account, seconds) {
  const held = spawn(
    'psql',
    [
      '-qAtX',
      database.connection,
      '-c',
      `BEGIN; INSERT INTO event (${columns}) VALUES (${eventOf(account, '1::bigint')}); SELECT pg_sleep(${seconds}); COMMIT`,
    ],
    { stdio: 'ignore' },
  );
  return new Promise((resolve) => held.once('exit', resolve));
}

// Counts the entries of the transaction index that a reader reads per new event while another transaction stays open.
// It should read only new entries, not all since that transaction started.
async function slowWriter(database, account) {
  const [open, seconds, perTransaction] = options.quick ? [2, 1, 20] : [30, 25, 100];
  const perSecond = options.quick ? 1_000 : 10_000;
  const tellingMs = 1500; // within this time every session has flushed its statistics
  const read = () =>
    Number(
      database.ask(`SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes i
    WHERE relname LIKE 'event\\_2%' AND pg_get_indexdef(indexrelid) LIKE '%(xid)'`),
    );
  const written = () => Number(database.ask('SELECT last_value FROM event_id_seq'));
  const statement = {
    account,
    sql: `INSERT INTO event (${columns}) SELECT ${eventOf(':account::bigint', `1 + n * 7919 % ${people}`)}
    FROM generate_series(1::bigint, ${perTransaction}::bigint) AS n;\n`,
  };
  const readPerEvent = async (isOpen) => {
    await settled(database);
    empty(database);
    await sleep(tellingMs);
    const [readBefore, writtenBefore] = [read(), written()];
    const held = isOpen ? openTransaction(database, account, open) : null;
    await pgbenchLatency(database, statement, 8, perSecond / perTransaction, seconds);
    await held;
    await settled(database);
    await sleep(tellingMs);
    return (read() - readBefore) / (written() - writtenBefore);
  };
  const measured = await interleave(
    'slow writer',
    options.quick ? 1 : rounds,
    () => readPerEvent(true),
    () => readPerEvent(false),
  );
  return [
    ratio({
      name: 'slow writer',
      what: `index entries read per event at ${perSecond} events/s, a transaction open for ${open} s : none`,
      unit: '',
      mostRatio: 1.5,
      ...measured,
    }),
  ];
}

// Runs after `idle`: creates an endpoint for all events, copies of its tables for the baseline, and a column that holds
// the time of each effect.
async function prepare(database, account) {
  fill(database, account, 1, people);
  const { id } = await ask('POST', '/manage/webhooks/', { url: 'https://hooks.example.com/bench', kinds: [] });
  await ask('PATCH', `/manage/webhooks/${id}`, { status: 'paused' });
  await settled(database);
  database.ask(`CREATE TABLE bare_delivery (LIKE webhook_delivery INCLUDING ALL);
    CREATE TABLE bare_chain (LIKE webhook_chain INCLUDING ALL);
    TRUNCATE webhook_delivery, webhook_chain;
    ALTER TABLE webhook_delivery ADD COLUMN effect_at timestamptz DEFAULT clock_timestamp();
    ALTER TABLE bare_delivery ADD COLUMN effect_at timestamptz DEFAULT clock_timestamp()`);
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  const { id } = await ask('GET', '/store/');
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const paths = {
    idle: () => idle(database),
    effect: () => effect(database, account),
    latency: () => latency(database, account),
    'slow-writer': () => slowWriter(database, account),
  };
  const chosen = options.only ? options.only.split(',') : Object.keys(paths);
  const measured = [];
  if (chosen.includes('idle')) measured.push(...(await paths.idle()));
  const loaded = chosen.filter((name) => name !== 'idle');
  if (loaded.length > 0) await prepare(database, account);
  for (const name of loaded) measured.push(...(await paths[name]()));
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds: 0, quick: options.quick, events }),
    paths: measured,
    process: [],
  };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/log: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
