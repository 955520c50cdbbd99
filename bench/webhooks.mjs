// Runs the rounds of bench/webhooks. Needs the environment of `tools/try --exec`, and a bench/webhook_receiver at
// SHOPBELL_BENCH_RECEIVER that the service may send to.
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { parseArgs, promisify } from 'node:util';

import { fill, idOf } from './contacts_data.mjs';
import { PostgreSQL, scriptFile, stopAll } from './engines.mjs';
import { facts, interleave, patienceMs, say, until, untilAll, wholeNumber } from './rounds.mjs';
import { print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    events: { type: 'string' },
    rounds: { type: 'string' },
    only: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-webhooks.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const events = wholeNumber(options, 'events', options.quick ? 500 : 20_000, 1_000_000);
const people = options.quick ? 500 : 10_000;
const perEndpoint = 8; // the service sends at most this many concurrent requests to one endpoint

const { SHOPBELL_URL: url, SHOPBELL_BENCH_RECEIVER: receiver } = process.env;
const keys = [process.env.SHOPBELL_KEY, process.env.SHOPBELL_KEY_2];
const ask = async (key, method, path, body) => {
  const answer = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
    body: body && JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
  return answer.json();
};

const heard = () => fetch(`${receiver}/count`).then((answer) => answer.json());

// Scenarios. Each endpoint subscribes to its own kind of event; the endpoints are spread over the accounts.
const shapes = {
  one: { endpoints: 1, accounts: 1, least: 0.6 },
  eight: { endpoints: 8, accounts: 1, least: 0.6 },
  many: { endpoints: 16, accounts: 2, least: 0.6 },
  slow: { endpoints: 8, accounts: 1, waits: 20, least: 0.6 },
};

async function prepare(name, shape, accounts) {
  const paths = Array.from(
    { length: shape.endpoints },
    (_, n) => `${shape.waits ? `/wait/${shape.waits}` : ''}/${name}/${n}`,
  );
  for (const [n, path] of paths.entries()) {
    await ask(keys[n % shape.accounts], 'POST', '/manage/webhooks/', {
      url: receiver + path,
      kinds: [`custom.${name}-${n}`],
    });
  }
  return { ...shape, name, accounts: accounts.slice(0, shape.accounts), urls: paths.map((path) => receiver + path) };
}

// Inserts events that are evenly distributed over endpoints and contacts.
const insertEvents = ({ name, accounts, endpoints }) => `
  INSERT INTO event (account_id, uid, lane, contact_id, kind, format, occurred_at, trigger, hops, source, payload)
  SELECT (ARRAY[${accounts}])[1 + n % ${accounts.length}], gen_random_uuid(), who % 1024, ${idOf('who')},
         'custom.${name}-' || n % ${endpoints}, 1, now(), 'all', 0, 'bench', '{"cartId":"c-1","total":"39.80"}'::jsonb
    FROM generate_series(0::bigint, ${events - 1}::bigint) AS n, LATERAL (SELECT 1 + n / ${endpoints} % ${people} AS who) w`;

// Waits until every delivery is finished and recorded.
const quiet = (database) =>
  until(
    'an end of the deliveries',
    () =>
      database.ask(`
  SELECT NOT EXISTS (SELECT FROM webhook_delivery WHERE state IN ('due', 'held'))`) === 't',
  );

// Measures the time from the commit of many events to the arrival of the last delivery.
async function tell(database, shape) {
  database.ask('TRUNCATE webhook_delivery, webhook_chain');
  database.ask('CHECKPOINT');
  const before = (await heard()).count;
  database.ask(insertEvents(shape));
  const began = process.hrtime.bigint();
  /** @type {{ count: number, lastNs: number }} */
  let last;
  await untilAll('arrivals', events, async () => (last = await heard()).count - before);
  await quiet(database);
  const once = Number(database.ask(`SELECT count(*) FROM webhook_delivery WHERE state = 'delivered' AND attempts = 1`));
  const arrived = (await heard()).count - before;
  if (once !== events || arrived !== events)
    throw new Error(`${arrived} arrivals and ${once} deliveries of ${events} events`);
  return events / (Number(BigInt(last.lastNs) - began) / 1e9);
}

const run = promisify(execFile);

// Baseline: sends the same requests with libcurl, over as many connections as the service may use.
async function send({ urls, endpoints }, message) {
  const args = [events, endpoints * perEndpoint, message, ...urls].map(String);
  const { stdout } = await run(`${checkout}build/release/bare_curl`, args, { timeout: patienceMs });
  return Number(stdout.match(/rate=([\d.]+)/)[1]);
}

// Returns the last request that the service sent, without the headers that libcurl adds itself.
async function sample() {
  const [head, body] = (await fetch(`${receiver}/sample`).then((answer) => answer.text())).split('\n\n');
  const own = head.split('\n').filter((line) => !/^(host|accept|content-length):/i.test(line));
  return scriptFile('message', `${own.join('\n')}\n\n${body}`);
}

async function measure(database, shape) {
  await tell(database, shape); // warm-up; also provides the sample request for the baseline
  const message = await sample();
  const measured = await interleave(
    shape.name,
    rounds,
    () => tell(database, shape),
    () => send(shape, message),
  );
  const answering = shape.waits ? `answering after ${shape.waits} ms` : 'answering at once';
  return ratio({
    name: shape.name,
    unit: '/s',
    least: shape.least,
    ...measured,
    what: `${events} events to ${shape.endpoints} endpoint(s) of ${shape.accounts.length} account(s), ${answering},
 from their commit to the last arrival : bare libcurl, ${shape.endpoints * perEndpoint} connections`.replace('\n', ''),
  });
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  const accounts = await Promise.all(
    keys.map(async (key) =>
      database.ask(`SELECT account_id FROM account WHERE id = '${(await ask(key, 'GET', '/store/')).id}'`),
    ),
  );
  for (const account of accounts) fill(database, account, 1, people);
  const chosen = options.only ? options.only.split(',') : Object.keys(shapes);
  const measured = [];
  for (const name of chosen) measured.push(await measure(database, await prepare(name, shapes[name], accounts)));
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds: 0, quick: options.quick, events }),
    paths: measured,
    process: [],
  };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/webhooks: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
