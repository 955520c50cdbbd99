import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { createServer, connect as dial, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  ask,
  configFile,
  databaseUrl,
  eventually,
  expectProblem,
  key,
  openapi,
  privateUrl,
  psql,
  raw,
  ready,
  shopbell,
  start,
  url,
} from './support.ts';

// Remove the rate limits, which other tests check.
psql('UPDATE account SET requests_per_second = 1000000, request_burst = 1000000');

test('health and readiness are reported', async () => {
  assert.equal((await fetch(`${privateUrl}/health`)).status, 200);
  assert.deepEqual(await ready({ privateUrl }), { status: 200, ready: true, troubles: [] });
});

test('the names of the metrics are unchanged', async () => {
  await ask('/store/');
  const response = await fetch(`${privateUrl}/metrics`);
  assert.match(response.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
  const names = [...(await response.text()).matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name);
  const golden = readFileSync('tests/functional/metrics.golden.txt', 'utf8').trim().split('\n');
  assert.deepEqual([...new Set(names)].sort(), golden);
});

test('a core dump would contain no memory, and so no keys', async (t) => {
  const { process } = await start(t);
  assert.match(readFileSync(`/proc/${process.pid}/coredump_filter`, 'utf8'), /^0+$/m);
  assert.match(readFileSync(`/proc/${process.pid}/limits`, 'utf8'), /^Max core file size +0 +0 /m);
});

test('private paths are not on the public listener, and vice versa', async () => {
  for (const path of ['/health', '/ready', '/metrics']) await expectProblem(await ask(path), 404, 'path-not-found');
  for (const path of ['/store/', '/openapi.json']) assert.equal((await ask(path, {}, privateUrl)).status, 404);
});

test('without PostgreSQL the process stays up, reports the cause, and recovers', async (t) => {
  const { port } = new URL(databaseUrl('api'));
  const gate = createServer((client) => {
    const server = dial(Number(port), '127.0.0.1');
    client.pipe(server).pipe(client);
    for (const socket of [client, server]) socket.on('error', () => [client, server].forEach((end) => end.destroy()));
  });
  const open = async (at: number) => once(gate.listen(at, '127.0.0.1'), 'listening');
  await open(0);
  const gatePort = (gate.address() as AddressInfo).port;
  await new Promise((closed) => gate.close(closed));
  const away = await start(t, {
    SHOPBELL_DATABASE_API: databaseUrl('api').replace(`:${port}/`, `:${gatePort}/`),
  });

  const { status, troubles } = await eventually(async () => {
    const answer = await ready(away);
    return answer.troubles.some((trouble) => trouble.includes('PostgreSQL')) && answer;
  });
  assert.equal(status, 503);
  assert(!JSON.stringify(troubles).includes(new URL(databaseUrl('api')).password));
  assert.equal((await fetch(`${away.privateUrl}/health`)).status, 200);
  for (let i = 0; i < 4; ++i) {
    const response = await ask('/store/', {}, away.url);
    assert.match(response.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    await expectProblem(response, 503, 'unavailable', away.url);
  }
  await expectProblem(await ask('/nowhere', {}, away.url), 404, 'path-not-found', away.url);
  assert.equal(away.process.exitCode, null);

  await open(gatePort);
  await eventually(async () => (await ready(away)).ready);
  assert.equal((await ask('/store/', {}, away.url)).status, 200);
  assert.equal((await away.stop()).code, 0);
  gate.close();
});

test('the log has a line of JSON per request, without the request’s content', async (t) => {
  const own = await start(t);
  await eventually(async () => (await ready(own)).ready);
  const secret = 'sb_live_wrongwrongwrong';
  await ask('/store/', { headers: { 'x-request-id': 'first' } }, own.url);
  await ask('/store/?person=jane%40bell.example', { headers: { 'x-request-id': 'second' } }, own.url);
  await ask('/people/jane', { headers: { 'x-request-id': 'third' } }, own.url);
  await ask('/problems/jane', { headers: { 'x-request-id': 'fourth', authorization: `Bearer ${secret}` } }, own.url);
  await ask('/store/', { headers: { 'x-request-id': 'fifth', authorization: `Bearer ${secret}` } }, own.url);
  await ask('/manage/keys/nobody', { method: 'DELETE', headers: { 'x-request-id': 'sixth' } }, own.url);
  await raw('nonsense\r\n\r\n', { at: own.url });
  await own.stop();
  const lines = own
    .log()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const of = (id: string) =>
    lines.filter(({ requestId }) => requestId === id).map(({ method, route, status }) => [method, route, status]);
  assert.deepEqual(of('first'), [['GET', '/store/', 200]]);
  assert.deepEqual(of('second'), [['GET', '/store/', 422]]);
  assert.deepEqual(
    of('third').map(([, , status]) => status),
    [404],
  );
  assert.deepEqual(of('fourth'), [['GET', '/problems/{code}', 404]]);
  assert.deepEqual(of('fifth'), [['GET', '/store/', 401]]);
  const keyId = psql(`SELECT key_id FROM api_key WHERE hint = '…${key.slice(-4)}'`);
  const requests = lines.filter(({ event }) => event === 'request');
  assert.equal(requests.length, 7);
  for (const { address } of requests) assert.equal(address, '127.0.0.1');
  assert.deepEqual(
    requests.map((line) => line.key),
    [keyId, keyId, '', '', '', keyId, ''],
  );
  for (const line of lines) assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  for (const held of [key, key.slice(8), secret, 'jane', 'person']) assert(!own.log().includes(held), held);
});

test('a shutdown under load answers every accepted request', async (t) => {
  const own = await start(t);
  await eventually(async () => (await ready(own)).ready);
  let answered = 0;
  // Each client uses one keep-alive connection; the service announces with `Connection: close` that it will close it.
  const customer = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let more = true; more;) {
      const asked = get(`${own.url}/store/`, {
        agent,
        headers: { authorization: `Bearer ${key}` },
      });
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      let body = '';
      for await (const part of response) body += part;
      assert.equal(response.statusCode, 200);
      assert.equal(JSON.parse(body).name, 'Bell & Daughters');
      more = response.headers.connection !== 'close';
      ++answered;
    }
    agent.destroy();
  };
  const idle = dial(Number(new URL(own.url).port), '127.0.0.1');
  await once(idle, 'connect');
  const customers = Array.from({ length: 8 }, customer);
  await sleep(300);
  const before = answered;
  const stopping = own.stop();
  // The idle connection delays the shutdown by a second, so that this state can be observed.
  await eventually(async () => (await ready(own)).status === 503);
  await Promise.all(customers);
  const { code, ms } = await stopping;
  assert.equal(code, 0, own.log());
  assert(ms < 10_000, `${ms} ms`);
  assert(before > 8, `${before} answers before the stop`);
  await assert.rejects(ask('/store/', {}, own.url));
});

test('a wrong configuration is reported with its line', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-config.'));
  t.after(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'shopbell.toml');
  const wrong = {
    '[http]\nlisten = "127.0.0.1:0"\nlissten = "127.0.0.1:0"\n': 3,
    '[http]\nlisten = "here"\n': 2,
    '[database]\nconnections = 0\n': 2,
    '[database]\n\napi = "mysql://user:hush@host/database"\n': 3,
    '[http\n': 1,
    'listen = "127.0.0.1:0"\n': 1,
  };
  for (const [text, line] of Object.entries(wrong)) {
    writeFileSync(file, text);
    const { status, stderr } = shopbell(['run'], file);
    assert.equal(status, 1, text);
    assert(stderr.startsWith(`shopbell: ${file}:${line}: `), `${text}${stderr}`);
    assert(!stderr.includes('hush'));
  }
});

test('all paths are under the base path', async (t) => {
  const own = await start(t, { SHOPBELL_HTTP_BASE_PATH: '/shop' });
  await eventually(async () => (await ready(own)).ready);
  assert.equal((await ask('/shop/store/', {}, own.url)).status, 200);
  assert.equal((await ask('/shop/store?a=1', {}, own.url)).headers.get('location'), '/shop/store/?a=1');
  for (const path of ['/store/', '/shopstore/', '/shop', '/shop/', '/Shop/store/', '/problems/']) {
    const problem = await expectProblem(await ask(path, {}, own.url), 404, 'path-not-found', own.url);
    assert.equal(problem.instance, path);
  }
  assert.equal((await fetch(`${own.privateUrl}/health`)).status, 200);
});

test('the OpenAPI document names the URL where it is served', async (t) => {
  const own = await start(t, { SHOPBELL_HTTP_BASE_PATH: '/shop' });
  await eventually(async () => (await ready(own)).ready);
  for (const [at, base] of [
    [url, ''],
    [own.url, '/shop'],
  ] as const) {
    const document = (await (await ask(`${base}/openapi.json`, {}, at)).json()) as typeof openapi;
    const server = new URL(document.servers[0].url, `${at}${base}/openapi.json`).href.replace(/\/$/, '');
    assert.equal((await ask('/store/', {}, server)).status, 200, server);
  }
});

test('an outdated schema is reported until it is migrated', async (t) => {
  const last = psql(`DELETE FROM schema_migration WHERE number = (SELECT max(number) FROM schema_migration)
    RETURNING to_json(schema_migration)`);
  const restore = () =>
    psql(`INSERT INTO schema_migration
    SELECT * FROM json_populate_record(null::schema_migration, '${last}') ON CONFLICT DO NOTHING`);
  t.after(restore);
  const own = await start(t);
  const { status, troubles } = await eventually(async () => {
    const answer = await ready(own);
    const says = (words: string) => answer.troubles.some((trouble) => trouble.includes(words));
    // The first event loop may check the schema while others still connect.
    return says('shopbell migrate') && !says('connections are open') && answer;
  });
  assert.deepEqual([status, troubles.length], [503, 1]);
  restore();
  await eventually(async () => (await ready(own)).ready);
});

test('a newer schema is served, with a warning', async (t) => {
  t.after(() => psql(`DELETE FROM schema_migration WHERE name = 'later'`));
  psql(`INSERT INTO schema_migration (number, name, checksum)
    SELECT max(number) + 1, 'later', '' FROM schema_migration`);
  const own = await start(t);
  await eventually(async () => (await ready(own)).ready);
  assert.match(own.log(), /"level":"warn","event":"schema newer"/);
  assert.equal((await ask('/store/', {}, own.url)).status, 200);
});

test('a process creates a missing partition of this month before it is ready', async (t) => {
  const month = psql(`SELECT to_char(now() AT TIME ZONE 'UTC', '"event_"YYYY_MM')`);
  psql(`DROP TABLE ${month}`);
  const instance = await start(t);
  await eventually(() => instance.log().includes('"event":"ready"'));
  assert.equal(psql(`SELECT to_regclass('${month}') IS NOT NULL`), 't');
  const log = instance.log();
  assert(log.includes(month) && log.indexOf(month) < log.indexOf('"event":"ready"'), log);
});

test('a process that cannot connect as the worker reports it and is not ready', async (t) => {
  const wrong = databaseUrl('worker').replace(/:[^:@]*@/, ':wrong@');
  const instance = await start(t, { SHOPBELL_DATABASE_WORKER: wrong });
  const said = await eventually(async () => {
    const { troubles } = await ready(instance);
    return troubles.find((trouble) => trouble.includes('shopbell_worker'));
  });
  assert(said);
  assert(!instance.log().includes('"event":"ready"'));
});

test('a response stored under an earlier key of the keyring is still found', async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-ring.'));
  t.after(() => rmSync(dir, { recursive: true }));
  const ring = join(dir, 'keyring');
  copyFileSync(join(dirname(configFile), 'keyring'), ring);
  const field = { id: `ring${Date.now()}`, name: 'Ring', type: 'text' };
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'idempotency-key': field.id,
  };
  const send = (at: string) => ask('/contact-fields/', { method: 'POST', body: JSON.stringify(field), headers }, at);
  assert.equal((await send(url)).status, 201);
  const settings = { SHOPBELL_KEYRING_FILE: ring };
  assert.equal(shopbell(['keyring', 'rotate'], configFile, settings).status, 0);
  const other = await start(t, settings);
  await eventually(async () => (await ready(other)).ready);
  const replayed = await send(other.url);
  assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [201, 'true']);
});

test('a growing table is analyzed before autovacuum does it', async (t) => {
  // The worker may not analyze this table, and must continue with the others.
  psql('CREATE TABLE of_somebody_else WITH (autovacuum_enabled = false) AS SELECT generate_series(1, 20000) AS n');
  t.after(() => psql('DROP TABLE of_somebody_else'));
  const instance = await start(t);
  const grow = (name: string, by: number, then = '') =>
    psql(`BEGIN;
          INSERT INTO suppression (account_id, channel, address_hash, reason, at)
          SELECT (SELECT min(account_id) FROM account), 'sms', sha256(('${name} ' || n)::bytea), 'unsubscribed', now()
            FROM generate_series(1, ${by}) n;
          ${then}
          COMMIT`);
  const known = () => Number(psql(`SELECT reltuples FROM pg_class WHERE relname = 'suppression'`));
  grow('grown', 3000);
  assert(await eventually(() => known() >= 3000, 15));
  // While the table grows it is analyzed; uncommitted rows are not counted.
  grow('grown at length', 30000, 'SELECT pg_sleep(3);');
  assert(await eventually(() => known() >= 33000, 15));
  await sleep(3000);
  assert(!instance.log().includes('of_somebody_else'), instance.log());
});
