// Tests deploy/prometheus and deploy/grafana on failing services: each service fails in one way, a real Prometheus
// scrapes all of them, and every alert that can be triggered within a minute must fire for the right service.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer, connect as dial, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { freePort, startPrometheus } from './prometheus.ts';
import { ask, databaseUrl, eventually, privateUrl, psql, ready, start, url, type Instance } from './support.ts';

/** The alerts that each failure triggers. */
const caused: Record<string, string[]> = {
  gone: ['ShopbellDown', 'ShopbellRestartsOften'],
  cutOff: ['ShopbellNotReady', 'ShopbellDatabaseUnreachable', 'ShopbellErrorRate', 'ShopbellJobsNotTaken'],
  slow: ['ShopbellSlowQueries', 'ShopbellSlowAnswers'],
  stalled: ['ShopbellLoopStalled'],
  broken: [
    'ShopbellInternalErrors',
    'ShopbellJobsFailing',
    'ShopbellLogEventsParked',
    'ShopbellDatabaseClockSetBack',
    'ShopbellWebhooksFailing',
  ],
  unread: ['ShopbellJobsInterrupted', 'ShopbellLogNotTicking', 'ShopbellKafkaClosed', 'ShopbellPartitionsMissing'],
  stuck: [
    'ShopbellJobsStuck',
    'ShopbellRateLimited',
    'ShopbellAuthenticationFlood',
    'ShopbellAuthenticationFailures',
    'ShopbellLogReaderBehind',
    'ShopbellWebhooksWaiting',
  ],
};
/** Alerts that only deploy/prometheus/alerts.test.yaml triggers, each with the reason. */
const notCaused: Record<string, string> = {
  ShopbellMissing: 'needs a Prometheus without a single service',
  ShopbellManyConnections: 'needs 15,000 sockets on either side',
  ShopbellUpkeepBehind: 'needs half an hour without a success',
  ShopbellTimersLate: 'needs timers that are late for five minutes',
  ShopbellRunsParked: 'needs a definition with a fault that validation does not find',
  ShopbellIntakeBehind: 'needs 100,000 events in a broker',
  ShopbellIntakeForged: 'needs a broker and another writer; the intake test counts forged messages',
  ShopbellIntakeFailing: 'needs an error that the intake does not expect',
};

const superuser = process.env.SHOPBELL_PG!;
const roles = ['api', 'worker', 'reader'] as const;
const targetOf = (instance: { privateUrl: string }) => new URL(instance.privateUrl).host;
const isReady = (instance: Instance) =>
  eventually(async () => (await ready(instance)).ready, 30).catch(async () =>
    assert.deepEqual((await ready(instance)).troubles, []),
  );

/** The settings of a service that uses another database, or the same database through another port. */
function databases(change: (url: string) => string): Record<string, string> {
  return Object.fromEntries(
    roles.map((role) => [`SHOPBELL_DATABASE_${role.toUpperCase()}`, change(databaseUrl(role))]),
  );
}

/** A separate database with the accounts and keys of the first, so that its jobs are isolated. */
function copyDatabase(name: string): Record<string, string> {
  psql(`CREATE DATABASE ${name} OWNER shopbell_owner`, superuser); // the owner role creates the event partitions
  const copy = `pg_dump "$FROM" | psql -Xq -v ON_ERROR_STOP=1 "$TO" >"$NOWHERE"`;
  const env = {
    ...process.env,
    FROM: `${superuser} dbname=shopbell`,
    TO: `${superuser} dbname=${name}`,
    NOWHERE: '/dev/null',
  };
  const ran = spawnSync('bash', ['-euo', 'pipefail', '-c', copy], { env, encoding: 'utf8' });
  assert.equal(ran.status, 0, ran.stderr);
  return databases((url) => url.replace(/\/shopbell(?=\?|$)/, `/${name}`));
}

/** A proxy to PostgreSQL that can delay responses by some milliseconds, and can be closed to simulate an outage. */
async function openGate(t: TestContext) {
  let delayMs = 0;
  const port = Number(new URL(databaseUrl('api')).port);
  const sockets = new Set<Socket>();
  const gate = createServer((client) => {
    const server = dial(port, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => [client, server].forEach((end) => end.destroy()));
    }
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => void setTimeout(() => client.writable && client.write(bytes), delayMs));
  });
  await once(gate.listen(0, '127.0.0.1'), 'listening');
  const shut = () => {
    gate.close();
    for (const socket of sockets) socket.destroy();
  };
  t.after(shut);
  const own = (gate.address() as AddressInfo).port;
  const slowDown = (to: number) => (delayMs = to);
  return { settings: databases((url) => url.replace(`:${port}/`, `:${own}/`)), slowDown, shut };
}

/** Repeats an action until the test ends, ignoring its errors. */
function keepOn(t: TestContext, everyMs: number, what: () => unknown) {
  const timer = setInterval(() => void Promise.resolve(what()).catch(() => {}), everyMs);
  t.after(() => clearInterval(timer));
}

const askFor = (at: string, path = '/store/', headers = {}) =>
  ask(path, { headers }, at).then((answer) => answer.arrayBuffer());
const exportProducts = (at: string) =>
  ask(
    '/exports/',
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"type":"products"}' },
    at,
  );

const write = (at: string, method: string, path: string, body: object) =>
  ask(path, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }, at).then(
    (answer) => assert(answer.ok, `${method} ${path}: ${answer.status}`),
  );
const changeContact = (at: string, id: string) =>
  write(at, 'PATCH', `/contacts/external-id/${id}?createContact=true`, { firstName: `${Math.random()}` });

/** A webhook endpoint that answers every request with 500. */
async function openRefusing(t: TestContext) {
  const server = createHttpServer((_, answer) => answer.writeHead(500).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => server.close());
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Starts all failing services, each with its own failure; the first service stays healthy. */
async function makeTrouble(t: TestContext) {
  assert.equal((await exportProducts(url)).status, 201);
  keepOn(t, 200, () => Promise.all([askFor(url), askFor(url, '/products/product-id/none'), ready({ privateUrl })]));

  const endpoint = await openRefusing(t);
  const tellEndpoint = (at: string) => write(at, 'POST', '/manage/webhooks/', { url: `http://${endpoint}/` });
  const own = (name: string, settings = {}) =>
    start(t, { ...copyDatabase(name), SHOPBELL_WEBHOOKS_ALLOW_PRIVATE: endpoint, ...settings });
  const broken = await own('broken');
  const stuck = await own('stuck');
  const lockedOut = databaseUrl('reader').replace(/:[^:@]*@/, ':wrong@');
  const withoutNextMonth = copyDatabase('unread');
  // A detached partition keeps its name, so that the service cannot create it again.
  const monthStart = `date_trunc('month', now() AT TIME ZONE 'UTC')`;
  const nextMonth = psql(`SELECT to_char(${monthStart} + interval '1 month', '"event_"YYYY_MM')`);
  psql(`ALTER TABLE event DETACH PARTITION ${nextMonth}`, `${superuser} dbname=unread`);
  const unread = await start(t, {
    ...withoutNextMonth,
    SHOPBELL_DATABASE_READER: lockedOut,
    SHOPBELL_KAFKA_BROKERS: `127.0.0.1:${await freePort()}`,
    SHOPBELL_KAFKA_STREAM_TOPIC: 'events',
  });
  const [gate, slowGate] = [await openGate(t), await openGate(t)];
  const cutOff = await start(t, gate.settings);
  const slow = await start(t, slowGate.settings);
  const stalled = await start(t);
  const lasting = { SHOPBELL_PRIVATE_LISTEN: `127.0.0.1:${await freePort()}` };
  const gone = await start(t, lasting);
  await Promise.all([broken, stuck, unread, cutOff, slow, stalled, gone].map(isReady));

  const begin = async (prometheus: Awaited<ReturnType<typeof startPrometheus>>) => {
    psql('ALTER TABLE product RENAME TO elsewhere', `${superuser} dbname=broken`);
    keepOn(t, 500, () => Promise.all([askFor(broken.url, '/products/product-id/none'), exportProducts(broken.url)]));

    // The constraint makes every event of one kind fail in the reader; the endpoint rejects all other events.
    await tellEndpoint(broken.url);
    psql(`ALTER TABLE webhook_delivery ADD CHECK (kind <> 'contact.updated') NOT VALID`, `${superuser} dbname=broken`);
    for (let i = 0; i < 20; ++i) await changeContact(broken.url, `told-${i}`);
    // The last tick is in the future, as if the clock had been set back.
    psql(`UPDATE log_tick SET at = at + interval '1 hour'`, `${superuser} dbname=broken`);
    await changeContact(broken.url, 'told-0');

    // The worker role loses the right to send due deliveries, and later the right to advance the reader.
    const inStuck = (sql: string) => psql(sql, `${superuser} dbname=stuck`);
    inStuck('REVOKE UPDATE ON webhook_delivery FROM shopbell_worker');
    await tellEndpoint(stuck.url);
    await eventually(async () => {
      await changeContact(stuck.url, 'waiting');
      return inStuck(`SELECT count(*) FROM webhook_delivery WHERE state = 'due' AND sender IS NULL`) !== '0';
    }, 20);
    inStuck(`REVOKE EXECUTE ON FUNCTION fence_lanes FROM shopbell_worker`);
    await changeContact(stuck.url, 'unread');

    psql('REVOKE EXECUTE ON FUNCTION make_tick FROM shopbell_worker', `${superuser} dbname=unread`);

    const holder = spawn('psql', ['-XAtq', `${superuser} dbname=stuck`], { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => holder.kill());
    holder.stdin.write(`BEGIN; LOCK TABLE product; SELECT 'held';\n`);
    await once(holder.stdout, 'data');
    for (let i = 0; i < 2; ++i) assert.equal((await exportProducts(stuck.url)).status, 201);
    psql('UPDATE account SET requests_per_second = 5, request_burst = 20', `${superuser} dbname=stuck`);
    keepOn(t, 50, () => askFor(stuck.url));
    keepOn(t, 50, () => askFor(stuck.url, '/store/', { authorization: 'Bearer sb_live_wrong' }));

    for (let i = 0; i < 5; ++i) assert.equal((await exportProducts(unread.url)).status, 201);

    gate.shut();
    keepOn(t, 200, () => Promise.all([ready(cutOff), askFor(cutOff.url)]));
    slowGate.slowDown(1_200);
    keepOn(t, 500, () => askFor(slow.url));
    keepOn(t, 1_900, async () => {
      stalled.process.kill('SIGSTOP');
      await sleep(1_700);
      stalled.process.kill('SIGCONT');
    });
    t.after(() => stalled.process.kill('SIGCONT'));

    const seen = (restarts: number) =>
      eventually(async () => {
        const starts = `changes(shopbell_start_time_seconds{instance="${targetOf(gone)}"}[10m])`;
        return (await prometheus.query(`${starts} == ${restarts}`)).length === 1;
      }, 30);
    let life = gone;
    for (let restarts = 0; restarts < 3; ++restarts) {
      life.process.kill('SIGKILL');
      await once(life.process, 'close');
      life = await start(t, lasting);
      await seen(restarts + 1);
    }
    life.process.kill('SIGKILL');
  };
  return { begin, of: { broken, stuck, unread, cutOff, slow, stalled, gone } as Record<string, Instance> };
}

const selectors = (query: string) => query.match(/\b[a-z_]+\{[^}]*\}/g)!;
const grouped = (query: string) =>
  [...query.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, names]) => names!.split(/, */));

/** The query of every dashboard panel, as Grafana sends it. */
function panels() {
  const { panels } = JSON.parse(readFileSync('deploy/grafana/shopbell.json', 'utf8')) as {
    panels: { type: string; title: string; targets?: { expr: string }[] }[];
  };
  const filled = (expr: string) =>
    expr.replaceAll('$job', 'shopbell').replaceAll('$instance', '.*').replaceAll('$__rate_interval', '1m');
  return panels
    .filter(({ type }) => type !== 'row')
    .flatMap(({ title, targets }) => targets!.map(({ expr }) => ({ title, query: filled(expr) })));
}

test('every failure triggers its alerts for the right service, and the dashboard shows it', async (t) => {
  const { begin, of } = await makeTrouble(t);
  const { stalled, ...others } = of;
  const prometheus = await startPrometheus(t, {
    targets: [targetOf({ privateUrl }), ...Object.values(others).map(targetOf)],
    patient: [targetOf(stalled!)],
  });
  // The first scrape of all targets takes a few seconds.
  await eventually(async () => (await prometheus.query('up == 1')).length === 1 + Object.keys(of).length, 20);
  const rules = await prometheus.rules();
  const known = [...Object.values(caused).flat(), ...Object.keys(notCaused)].sort();
  assert.deepEqual(rules.map(({ name }) => name).sort(), known, 'each alert is triggered, or has a reason');

  const missing = new Set(
    Object.entries(caused).flatMap(([trouble, names]) => names.map((name) => `${name} ${targetOf(of[trouble]!)}`)),
  );
  const begun = begin(prometheus);
  await eventually(async () => {
    for (const { state, labels, annotations } of await prometheus.alerts()) {
      if (state !== 'firing') continue;
      missing.delete(`${labels.alertname} ${labels.instance}`);
      for (const text of Object.values(annotations)) assert(!text.includes('<error'), text);
      assert.deepEqual(Object.keys(annotations).sort(), ['description', 'runbook_url', 'summary']);
    }
    await sleep(200);
    return missing.size === 0;
  }, 75).catch(() => assert.fail(`did not fire: ${[...missing].join(', ')}`));
  await begun;

  const well = `count_over_time(ALERTS{instance="${targetOf({ privateUrl })}", alertstate="firing"}[10m])`;
  assert.deepEqual(await prometheus.query(well), [], 'no alert fires for the healthy service');
  for (const { name, health } of await prometheus.rules()) assert.equal(health, 'ok', name);

  // Checks names, labels and values: each selector matches a series, and each label in `by` exists.
  const golden = ['metrics', 'metrics-kafka'].flatMap((file) =>
    readFileSync(`tests/functional/${file}.golden.txt`, 'utf8').trim().split('\n'),
  );
  const pages = ['run/alerts', 'kafka'].map((page) => readFileSync(`docs/${page}.md`, 'utf8')).join('');
  for (const name of golden) assert(new RegExp(`\\b${name}\\b`).test(pages), `no page explains ${name}`);
  const ofPrometheus = ['up', 'scrape_duration_seconds'];
  const shown = panels();
  for (const { title, query } of [...rules.map(({ name, query }) => ({ title: name, query })), ...shown]) {
    const labels = new Set<string>();
    for (const selector of selectors(query)) {
      const name = selector.slice(0, selector.indexOf('{')).replace(/_(bucket|sum|count)$/, '');
      assert([...golden, ...ofPrometheus].includes(name), `${title}: unknown metric ${name}`);
      const found = await prometheus.series(selector);
      assert(found.length > 0, `${title}: no series matches ${selector}`);
      for (const series of found) Object.keys(series).forEach((label) => labels.add(label));
    }
    for (const label of grouped(query)) assert(labels.has(label), `${title}: no series has the label ${label}`);
  }
  for (const { title, query } of shown) {
    const values = (await prometheus.query(query)).map(({ value }) => Number(value[1]));
    assert(values.some(Number.isFinite), `${title} shows nothing: ${query}`);
  }
});
