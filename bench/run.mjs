// Runs the rounds of bench/run. Needs the environment of `tools/try --exec`.
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';

import { PostgreSQL, cpuSeconds, latencyOf, pgbench, pgbenchLatency, startEngine, stopAll, wrk } from './engines.mjs';
import { idleConnections, startToAnswer } from './process.mjs';
import { median, print, ratio, spread } from './report.mjs';
import { bestClients, facts, interleave, pick, say, wholeNumber } from './rounds.mjs';

const checkout = new URL('..', import.meta.url).pathname;
const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    json: { type: 'string', default: `${checkout}build/bench.json` },
    quick: { type: 'boolean', default: false },
  },
});
const rounds = wholeNumber(options, 'rounds', options.quick ? 2 : 5, 50);
const seconds = wholeNumber(options, 'seconds', options.quick ? 1 : 5, 60);
const programs = `${checkout}build/release`;

const { SHOPBELL_URL: url, SHOPBELL_KEY: key, SHOPBELL_METRICS_URL: privateUrl } = process.env;
const authorization = `Authorization: Bearer ${key}`;
const service = {
  pid: Number(process.env.SHOPBELL_PID),
  binary: `${checkout}build/release/shopbell`,
  config: readFileSync(`/proc/${process.env.SHOPBELL_PID}/cmdline`, 'utf8').split('\0')[2],
};

// Returns the service's SELECT for the demo store, in pgbench's syntax.
async function storeStatement(database) {
  const answer = await fetch(`${url}/store/`, { headers: { Authorization: `Bearer ${key}` } });
  if (!answer.ok) throw new Error(`GET /store/ answers ${answer.status}`);
  const { id } = await answer.json();
  const account = database.ask(`SELECT account_id FROM account WHERE id = '${id}'`);
  const sql = readFileSync(`${checkout}src/resources/store/queries/get_store.sql`, 'utf8');
  return { sql: `${sql.trim().replaceAll('$1', ':account')};\n`, account };
}

// Measures a rate together with the CPU time that the process uses per request.
async function withCpu(pid, measure) {
  const before = cpuSeconds(pid);
  const { rate, requests } = await measure();
  return { rate, cpuUs: ((cpuSeconds(pid) - before) / requests) * 1e6 };
}

async function measurePaths(database, bare) {
  const statement = await storeStatement(database);
  const clients = await bestClients(database, statement, seconds, options.quick);
  const load = (address) => wrk(address, seconds, authorization);

  const store = await interleave(
    'store',
    rounds,
    () => withCpu(service.pid, () => load(`${url}/store/`)),
    async () => ({ rate: await pgbench(database, statement, clients, seconds) }),
  );
  const health = await interleave(
    'health',
    rounds,
    () => withCpu(service.pid, () => load(`${privateUrl}/health`)),
    () => withCpu(bare.pid, () => load(`${bare.url}/`)),
  );
  const rate = Math.max(1, Math.floor(median(pick(store.service, 'rate')) / 2));
  const latency = await interleave(
    'latency',
    rounds,
    () => latencyOf(`${programs}/open_loop`, `${url}/store/`, authorization, rate, seconds),
    () => pgbenchLatency(database, statement, clients, rate, seconds),
  );
  return [
    ratio({
      name: 'store',
      what: `GET /store/ : pgbench -M prepared -c ${clients}`,
      unit: '/s',
      least: 0.35,
      service: pick(store.service, 'rate'),
      bare: pick(store.bare, 'rate'),
    }),
    ratio({
      name: 'health',
      what: 'GET /health : minimal Beast server, one loop each',
      unit: '/s',
      least: 0.7,
      goal: 0.85,
      service: pick(health.service, 'rate'),
      bare: pick(health.bare, 'rate'),
    }),
    ratio({
      name: 'health cpu',
      what: 'CPU of the process per request',
      unit: 'µs',
      service: pick(health.service, 'cpuUs'),
      bare: pick(health.bare, 'cpuUs'),
    }),
    ratio({
      name: 'store cpu',
      what: 'CPU of the service per request',
      unit: 'µs',
      service: pick(store.service, 'cpuUs'),
    }),
    ratio({
      name: 'store p99',
      what: `at ${rate} requests/s : pgbench -R ${rate}`,
      unit: 'ms',
      most: [2, 1],
      service: latency.service,
      bare: latency.bare,
    }),
  ];
}

async function measureProcess() {
  const starts = [];
  for (let i = 0; i < (options.quick ? 2 : 5); ++i) starts.push(await startToAnswer(service, key));
  const idle = await idleConnections(service, key, 10_000);
  return [
    {
      name: 'start',
      what: 'start to the first answer of GET /store/',
      unit: 'ms',
      most: 300,
      goal: 100,
      ...spread(starts),
    },
    { name: 'idle', what: 'RSS without a request', unit: 'MB', most: 64, goal: 32, ...spread([idle.before]) },
    {
      name: 'connections',
      what: `RSS with ${idle.connections} idle connections, one request each before`,
      unit: 'MB',
      most: 300,
      ...spread([idle.with]),
    },
  ];
}

try {
  const database = new PostgreSQL(process.env.SHOPBELL_PG);
  // Remove the rate limit; every process applies the change within a second.
  database.ask('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');
  await sleep(1000);
  const known = facts(database, service.binary, { rounds, seconds, quick: options.quick });
  const bare = await startEngine(`${programs}/minimal_beast`, ['0', '1']);
  const report = { ...known, paths: await measurePaths(database, bare), process: await measureProcess() };
  print(report);
  writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  say(`\nfigures: ${options.json}`);
} catch (error) {
  say(`bench/run: ${error.stack}`);
  process.exitCode = 1;
} finally {
  stopAll();
}
