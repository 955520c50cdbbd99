// Runs the rounds of bench/intake. Needs the environment of `tools/try --exec`, and the brokers that the service uses.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';

import { PostgreSQL, output, scriptFile, stopAll, wrk } from './engines.mjs';
import { facts, interleave, pick, say, until, wholeNumber } from './rounds.mjs';
import { print, ratio } from './report.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    stores: { type: 'string' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench-intake.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const seconds = wholeNumber(options, 'seconds', options.quick ? 1 : 5, 60);
const stores = wholeNumber(options, 'stores', options.quick ? 50 : 5_000, 9_000);
const warmSeconds = options.quick ? 1 : 20; // new brokers need this time to reach their full speed
const people = 10; // contacts of each store
const connections = options.quick ? 64 : 512;
const { SHOPBELL_URL: url, SHOPBELL_METRICS_URL: metricsUrl, SHOPBELL_PID: pid } = process.env;

const config = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[2];

// Inserts stores with a key, an event type and contacts each. Returns the keys.
function makeStores(database) {
  const made = output(`${checkout}build/release/store_keys`, `${dirname(config)}/keyring`, `${stores}`)
    .split('\n')
    .map((line) => line.split(' '));
  const store = (n) => `1000000 + ${n}`;
  const all = `FROM generate_series(1::bigint, ${stores}::bigint) AS n`;
  database.ask(`
    INSERT INTO account (account_id, id, name, time_zone, currency, locale, requests_per_second, request_burst)
      SELECT ${store('n')}, gen_random_uuid(), 'Store ' || n, 'UTC', 'EUR', 'en', 1000000, 1000000 ${all};
    INSERT INTO store_usage (account_id) SELECT ${store('n')} ${all};
    INSERT INTO integration (account_id, integration_id, name, events_enabled, created_at, updated_at)
      SELECT ${store('n')}, gen_random_uuid(), 'Shop', true, now(), now() ${all};
    INSERT INTO event_type (account_id, event_type_id, integration_id, name, direction, alias, additional_members,
                            created_at, updated_at)
      SELECT account_id, gen_random_uuid(), integration_id, 'Cart', 'receive', 'cart', 'keep', now(), now()
        FROM integration;
    INSERT INTO event_type_counter (account_id, version) SELECT ${store('n')}, 1 ${all};
    INSERT INTO contact (account_id, contact_id, lane, external_id, created_at, updated_at)
      SELECT ${store('n')}, gen_random_uuid(), (n + p) % 1024, 'x' || p, now(), now() ${all},
             generate_series(0, ${people - 1}) AS p`);
  for (let from = 0; from < made.length; from += 500) {
    const rows = made
      .slice(from, from + 500)
      .map(
        ([, hash, hint], i) =>
          `(${store(from + i + 1)}, gen_random_uuid(), 'key', '\\x${hash}', '${hint}', '{custom-events:write}')`,
      );
    database.ask(`INSERT INTO api_key (account_id, key_id, name, hash, hint, scopes) VALUES ${rows.join()}`);
  }
  database.ask('VACUUM ANALYZE account, api_key, event_type, contact');
  return made.map(([key]) => key);
}

let loads = 0; // each load has eventIds of its own

// Sends one event per request: to the first `count` stores in turn, and to the contacts of each in turn.
async function load(keys, isQueued, time) {
  const keyFile = scriptFile('keys', keys.join('\n'));
  const prefer = isQueued ? "['Prefer'] = 'respond-async'," : '';
  const script = scriptFile(
    'intake.lua',
    `local keys = {}
    for key in io.lines('${keyFile}') do keys[#keys + 1] = key end
    local headers = {${prefer} ['Content-Type'] = 'application/json'}
    local count = 0
    request = function()
      count = count + 1
      headers['Authorization'] = 'Bearer ' .. keys[count % #keys + 1]
      local person = math.floor(count / #keys) % ${people}
      return wrk.format('POST', '/custom-events/alias/cart', headers,
        '{"eventId":"${process.pid}-${++loads}-' .. count .. '","contact":{"externalId":"x' .. person ..
        '"},"payload":{"cartId":"c-1","total":"39.80"}}')
    end`,
  );
  return wrk(url, time, 'Accept: application/json', script, connections);
}

async function counters() {
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  const value = (name) => Number(text.match(new RegExp(`^shopbell_intake_${name} (\\S+)`, 'm'))?.[1] ?? 0);
  return {
    isOpen: value('open') === 1,
    queued: value('queued_total'),
    done: value('written_total') + value('rejected_total'),
    rejected: value('rejected_total'),
  };
}

// Returns the rate of responses by Kafka, and the rate at which the events were then in the database: from the first
// request until the last event was written.
async function throughKafka(database, keys, time = seconds) {
  database.ask('CHECKPOINT');
  await until('an open intake', async () => (await counters()).isOpen);
  const before = await counters();
  const began = performance.now();
  const { rate, requests } = await load(keys, true, time);
  await until('an end of the queue', async () => {
    const { queued, done } = await counters();
    return done - before.done >= queued - before.queued;
  });
  const after = await counters();
  const queued = after.queued - before.queued;
  if (queued < 0.95 * requests) throw new Error(`${queued} of ${requests} events went through Kafka`);
  if (after.rejected > before.rejected) throw new Error(`${after.rejected - before.rejected} events were rejected`);
  return { rate, written: queued / ((performance.now() - began) / 1000) };
}

async function direct(database, keys) {
  database.ask('CHECKPOINT');
  return load(keys, false, seconds);
}

async function compare(database, name, keys) {
  await throughKafka(database, keys, warmSeconds); // warm-up: brokers, event types, keys
  const measured = await interleave(
    name,
    rounds,
    () => throughKafka(database, keys),
    () => direct(database, keys),
  );
  const bare = pick(measured.bare, 'rate');
  const what = `POST of one event, ${keys.length > 1 ? `${keys.length} stores in turn` : 'one store'}, ${connections} connections`;
  return [
    ratio({ name, what: `${what} : by PostgreSQL`, unit: '/s', service: pick(measured.service, 'rate'), bare }),
    ratio({
      name: `${name}, written`,
      what: 'the same, until the last event is in the database',
      unit: '/s',
      service: pick(measured.service, 'written'),
      bare,
    }),
  ];
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  const keys = makeStores(database);
  const paths = [
    ...(await compare(database, 'one store', keys.slice(0, 1))),
    ...(await compare(database, 'many stores', keys)),
  ];
  const report = {
    ...facts(database, `${checkout}build/release/shopbell`, { rounds, seconds, quick: options.quick, stores }),
    paths,
    process: [],
  };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/intake: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
