// `shopbell doctor`: reports no fault on a healthy installation, and names each deliberate fault with its remedy.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { newIntegrator, sending } from './integrator.ts';
import { configFile, databaseUrl, eventually, key, privateUrl, psql, ready, shopbell, start } from './support.ts';

interface Line {
  check: string;
  grade: 'ok' | 'warn' | 'fault';
  found: string;
  mend: string | null;
}
type Settings = Record<string, string>;

const home = dirname(configFile);
const keyring = join(home, 'keyring');
// The service's configuration has port 0, so doctor gets the actual port. The number of CPUs is not tested here.
const own = { SHOPBELL_PRIVATE_LISTEN: new URL(privateUrl).host, SHOPBELL_HTTP_THREADS: '2' };
const secrets = [
  ...(['api', 'worker', 'reader'] as const).map((role) => new URL(databaseUrl(role)).password),
  readFileSync(keyring, 'utf8').trim().split(' ').at(-1)!,
  'hush',
  key,
];

function doctor(settings: Settings = {}, config = configFile): { status: number | null; lines: Line[] } {
  const { status, stdout, stderr } = shopbell(['doctor', '--json'], config, { ...own, ...settings });
  assert.equal(stderr, '');
  for (const secret of secrets) assert(!stdout.includes(secret), stdout);
  const lines = JSON.parse(stdout) as Line[];
  for (const { check, grade, found, mend } of lines) {
    assert(found.length > 0, check);
    assert.equal(mend === null, grade === 'ok', check);
  }
  assert.equal(status, lines.some(({ grade }) => grade === 'fault') ? 1 : 0);
  return { status, lines };
}

function lineOf(lines: Line[], check: string): Line {
  const line = lines.find((each) => each.check === check);
  assert(line, check);
  return line;
}

/** Expects this grade of the check, and these words in its remedy: a command, a setting or a file. */
function expectMend(check: string, grade: 'warn' | 'fault', words: string, settings: Settings = {}): Line {
  const line = lineOf(doctor(settings).lines, check);
  assert.equal(line.grade, grade, JSON.stringify(line));
  assert(line.mend!.includes(words), JSON.stringify(line));
  return line;
}

const expectWell = (check: string) => assert.equal(lineOf(doctor().lines, check).grade, 'ok');

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-doctor.'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

/** Breaks something in the database, runs `look`, and always repairs it. */
function broken(breaks: string, mends: string, look: () => void) {
  psql(breaks);
  try {
    look();
  } finally {
    psql(mends);
  }
}

/** Changes a server setting while `look` runs. */
async function withServerSetting(name: string, value: string, look: () => void) {
  const shows = (wanted: string) => eventually(() => psql(`SHOW ${name}`) === wanted);
  const before = psql(`SHOW ${name}`);
  psql(`ALTER SYSTEM SET ${name} = ${value}; SELECT pg_reload_conf()`);
  try {
    await shows(value);
    look();
  } finally {
    psql(`ALTER SYSTEM RESET ${name}; SELECT pg_reload_conf()`);
  }
  await shows(before);
}

/**
 * Fakes PostgreSQL's own functions for the worker: `makes` creates functions and views in a schema that comes before
 * pg_catalog in the worker's search path. So no test has to wait for hours or years.
 */
function told(makes: string, look: () => void) {
  broken(
    `CREATE SCHEMA told; ${makes};
     GRANT USAGE ON SCHEMA told TO shopbell_worker; GRANT SELECT ON ALL TABLES IN SCHEMA told TO shopbell_worker;
     ALTER ROLE shopbell_worker SET search_path = told, pg_catalog, public`,
    'ALTER ROLE shopbell_worker RESET search_path; DROP SCHEMA told CASCADE',
    look,
  );
}

test('a healthy installation has no fault', () => {
  const { status, lines } = doctor();
  assert.deepEqual([status, lines.filter(({ grade }) => grade === 'fault')], [0, []]);
  for (const check of ['configuration', 'keyring', 'database as api', 'durability', 'service', 'clock'])
    assert.equal(lineOf(lines, check).grade, 'ok', check);
  assert.equal(new Set(lines.map(({ check }) => check)).size, lines.length);
  // `init` leaves the owner file on this machine; the check's remedy names the option `--owner`.
  assert.match(lineOf(lines, 'owner file').mend!, /--owner/);
});

test('without --json each check is one line', () => {
  const { status, stdout } = shopbell(['doctor'], configFile, own);
  assert.equal(status, 0);
  const lines = stdout.trim().split('\n');
  assert.equal(lines.length, doctor().lines.length);
  for (const line of lines) assert.match(line, /^(ok   |warn |fault)  \S.*/);
  assert.equal(shopbell(['doctor'], configFile, { ...own, SHOPBELL_KEYRING_FILE: 'none' }).status, 1);
});

test('an unreadable configuration is reported with its line', (t) => {
  const file = join(folder(t), 'shopbell.toml');
  const wrong = {
    '[http]\nlissten = "127.0.0.1:0"\n': 2,
    '[database]\n\napi = "mysql://user:hush@host/database"\n': 3,
    '[http\n': 1,
  };
  for (const [text, at] of Object.entries(wrong)) {
    writeFileSync(file, text, { mode: 0o600 });
    const { lines } = doctor({}, file);
    const line = lineOf(lines, 'configuration');
    assert.equal(line.grade, 'fault');
    assert(line.found.startsWith(`${file}:${at}: `), line.found);
    // Checks that need no configuration still run; the others are not reported as ok.
    assert.equal(lineOf(lines, 'secret files').grade, 'ok');
    for (const check of ['keyring', 'storage', 'database as api', 'schema'])
      assert.equal(lineOf(lines, check).grade, 'warn', check);
  }
});

test('secret files that others may read are reported', () => {
  for (const name of ['shopbell.toml', 'owner.toml', 'keyring']) {
    const file = join(home, name);
    const { mode } = statSync(file);
    chmodSync(file, 0o644);
    try {
      const line = expectMend('secret files', 'fault', 'chmod');
      assert(line.mend!.includes(file) && line.found.includes(file), line.found);
    } finally {
      chmodSync(file, mode);
    }
  }
  expectWell('secret files');
});

test('a missing or invalid keyring is reported', (t) => {
  const ring = join(folder(t), 'keyring');
  expectMend('keyring', 'fault', ring, { SHOPBELL_KEYRING_FILE: ring });
  writeFileSync(ring, 'no key\n', { mode: 0o600 });
  expectMend('keyring', 'fault', ring, { SHOPBELL_KEYRING_FILE: ring });
});

test('the keyring of another installation is reported', async (t) => {
  const ring = join(folder(t), 'keyring');
  const settings = { SHOPBELL_KEYRING_FILE: ring };
  const made = (at: Date) => {
    const time = at.toISOString();
    writeFileSync(ring, `1 ${time} ${time} ${'5a'.repeat(32)}\n`, { mode: 0o600 });
  };
  made(new Date(Date.now() + 86_400_000)); // the keyring is newer than the API keys in use
  expectMend('keyring fits', 'fault', 'shopbell key create', settings);
  const { integrate, define } = newIntegrator('Doctor');
  await define((await integrate()).id, sending());
  made(new Date(0)); // the keyring is old enough, but cannot decrypt stored secrets
  expectMend('keyring fits', 'fault', 'shopbell key create', settings);
  expectWell('keyring fits');
});

test('a role that cannot connect is reported, and the others are still checked', () => {
  const wrong = databaseUrl('api').replace(/:[^:@]*@/, ':hush@');
  expectMend('database as api', 'fault', 'ALTER ROLE shopbell_api', { SHOPBELL_DATABASE_API: wrong });
  const nowhere = databaseUrl('worker').replace(/@.*$/, '@127.0.0.1:1/shopbell');
  const { lines } = doctor({ SHOPBELL_DATABASE_WORKER: nowhere });
  assert.match(lineOf(lines, 'database as worker').mend!, /database\.worker/);
  assert.equal(lineOf(lines, 'database as api').grade, 'ok');
  assert.equal(lineOf(lines, 'schema').grade, 'warn');
});

test('an invalid connection string is not repeated in the output', () => {
  for (const url of ['postgresql://shopbell_reader:hush%zz@127.0.0.1/shopbell', 'postgresql://a:b/hush@h:1/c'])
    expectMend('database as reader', 'fault', 'database.reader', { SHOPBELL_DATABASE_READER: url });
});

test('a server that accepts connections but never answers does not block doctor', async (t) => {
  // While doctor runs, this test's process is blocked: the kernel accepts connections, but no response is sent.
  const silent = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const at = `postgresql://a:hush@127.0.0.1:${(silent.address() as AddressInfo).port}/shopbell`;
  const from = Date.now();
  const { lines } = doctor({
    SHOPBELL_DATABASE_API: at,
    SHOPBELL_DATABASE_WORKER: at,
    SHOPBELL_DATABASE_READER: at,
  });
  assert(Date.now() - from < 15_000, `${Date.now() - from} ms`);
  for (const role of ['api', 'worker', 'reader']) assert.equal(lineOf(lines, `database as ${role}`).grade, 'fault');
});

test('a schema that is too old or too new is reported', () => {
  const last = psql(`SELECT to_json(m) FROM schema_migration m ORDER BY number DESC LIMIT 1`);
  const { number } = JSON.parse(last) as { number: number };
  broken(
    `DELETE FROM schema_migration WHERE number = ${number}`,
    `INSERT INTO schema_migration SELECT * FROM json_populate_record(null::schema_migration, '${last}')`,
    () => expectMend('schema', 'fault', 'shopbell migrate'),
  );
  broken(
    `INSERT INTO schema_migration (number, name, checksum) VALUES (${number + 1}, 'later', '')`,
    `DELETE FROM schema_migration WHERE number = ${number + 1}`,
    () => expectMend('schema', 'warn', 'newer'),
  );
  expectWell('schema');
});

test('settings that can lose acknowledged writes are reported', async () => {
  for (const name of ['fsync', 'full_page_writes'])
    await withServerSetting(name, 'off', () => expectMend('durability', 'fault', `SET ${name} = on`));
  broken(
    'ALTER ROLE shopbell_api SET synchronous_commit = off',
    'ALTER ROLE shopbell_api RESET synchronous_commit',
    () => expectMend('durability', 'fault', 'ALTER ROLE shopbell_api SET synchronous_commit = on'),
  );
  broken(
    'ALTER DATABASE shopbell SET synchronous_commit = off',
    'ALTER DATABASE shopbell RESET synchronous_commit',
    () => expectMend('durability', 'fault', 'ALTER ROLE shopbell_worker SET synchronous_commit = on'),
  );
  expectWell('durability');
});

test('a server without autovacuum is reported', async () => {
  for (const name of ['autovacuum', 'track_counts'])
    await withServerSetting(name, 'off', () => expectMend('autovacuum', 'fault', `SET ${name} = on`));
  expectWell('autovacuum');
});

test('more connections than PostgreSQL allows are reported', () => {
  const settings = { SHOPBELL_HTTP_THREADS: '64', SHOPBELL_DATABASE_CONNECTIONS: '64' };
  expectMend('connections', 'fault', 'max_connections', settings);
});

test('a process opens as many connections as configured', async (t) => {
  const open = () =>
    Number(
      psql(`SELECT count(*) FROM pg_stat_activity WHERE usename LIKE 'shopbell%' AND backend_type = 'client backend'`),
    );
  const before = open();
  await start(t, { SHOPBELL_HTTP_THREADS: '2' });
  const { found } = lineOf(doctor().lines, 'connections');
  const told = Number(/a process opens (\d+),/.exec(found)![1]);
  assert(await eventually(() => open() - before === told));
});

test('a storage that is not writable is reported', () => {
  const settings = { SHOPBELL_STORAGE_DIRECTORY: join(configFile, 'files') };
  expectMend('storage', 'fault', 'storage.directory', settings);
});

test('a month without a partition is reported', () => {
  const month = psql(`SELECT to_char(now() AT TIME ZONE 'UTC' + interval '1 month', '"event_"YYYY_MM')`);
  broken(`DROP TABLE ${month}`, `SELECT keep_event_partitions(interval '400 days', 2)`, () => {
    assert(expectMend('event months', 'fault', 'start the service').found.includes(month));
  });
  expectWell('event months');
});

test('jobs that no process runs are reported', (t) => {
  const service = Number(process.env['SHOPBELL_PID']);
  // The process that would run the due jobs is stopped meanwhile.
  process.kill(service, 'SIGSTOP');
  t.after(() => process.kill(service, 'SIGCONT'));
  const job = (state: string, lease: string) =>
    `INSERT INTO job (account_id, job_id, kind, type, state, leased_until, options, queued_at, updated_at)
     SELECT min(account_id), gen_random_uuid(), 'export', 'doctor', '${state}', ${lease}, '{}',
            now() - interval '11 minutes', now() FROM account`;
  for (const row of [job('queued', 'null'), job('inProgress', `now() - interval '2 minutes'`)])
    broken(row, `DELETE FROM job WHERE type = 'doctor'`, () => expectMend('jobs', 'fault', 'shopbell run'));
  expectWell('jobs');
});

test('roles with too many rights are reported', () => {
  for (const [breaks, mends] of [
    ['ALTER ROLE shopbell_api BYPASSRLS', 'ALTER ROLE shopbell_api NOBYPASSRLS'],
    ['ALTER ROLE shopbell_reader SUPERUSER', 'ALTER ROLE shopbell_reader NOSUPERUSER'],
    ['GRANT shopbell_owner TO shopbell_api', 'REVOKE shopbell_owner FROM shopbell_api'],
  ] as const)
    broken(breaks, mends, () => expectMend('role rights', 'fault', mends));
  const settings = { SHOPBELL_DATABASE_API: databaseUrl('worker') };
  expectMend('role rights', 'fault', 'database.api as shopbell_api', settings);
  expectWell('role rights');
});

test('a table without row-level security is reported', () => {
  broken('ALTER TABLE contact DISABLE ROW LEVEL SECURITY', 'ALTER TABLE contact ENABLE ROW LEVEL SECURITY', () =>
    expectMend('row security', 'fault', 'ALTER TABLE contact ENABLE ROW LEVEL SECURITY'),
  );
  expectWell('row security');
});

test('a certificate that expires soon, has expired or has another key is reported', (t) => {
  const dir = folder(t);
  const make = (name: string, ...dates: string[]) => {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-subj', '/CN=doctor'];
    const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.pem`)];
    const made = spawnSync('openssl', ['req', '-x509', ...curve, ...dates, ...files], { encoding: 'utf8' });
    assert.equal(made.status, 0, made.stderr);
  };
  make('good', '-days', '90');
  make('ending', '-days', '5');
  make('ended', '-not_before', '20200101000000Z', '-not_after', '20200201000000Z');
  const using = (certificate: string, its = certificate) => ({
    SHOPBELL_HTTP_TLS_CERTIFICATE: join(dir, `${certificate}.pem`),
    SHOPBELL_HTTP_TLS_KEY: join(dir, `${its}.key`),
  });
  assert.equal(lineOf(doctor(using('good')).lines, 'certificate').grade, 'ok');
  expectMend('certificate', 'warn', 'renew', using('ending'));
  expectMend('certificate', 'fault', 'renew', using('ended'));
  expectMend('certificate', 'fault', 'http.tls_key', using('good', 'ending'));
});

test('a service that is down or not ready is reported', async (t) => {
  expectMend('service', 'warn', 'shopbell run', { SHOPBELL_PRIVATE_LISTEN: '127.0.0.1:1' });
  const wrong = databaseUrl('worker').replace(/:[^:@]*@/, ':hush@');
  const ill = await start(t, { SHOPBELL_DATABASE_WORKER: wrong });
  await eventually(async () => (await ready(ill)).status === 503);
  const settings = { SHOPBELL_PRIVATE_LISTEN: new URL(ill.privateUrl).host };
  expectMend('service', 'fault', 'becomes ready by itself', settings);
});

test('figures reported by PostgreSQL are checked', () => {
  const says = (head: string, body: string) => `CREATE FUNCTION told.${head} LANGUAGE sql AS $$${body}$$`;
  const clock = (seconds: number) =>
    says(
      'clock_timestamp() RETURNS timestamptz',
      `SELECT pg_catalog.clock_timestamp() + interval '${seconds} seconds'`,
    );
  told(clock(3), () => expectMend('clock', 'warn', 'timesyncd'));
  told(clock(-20), () => expectMend('clock', 'fault', 'timesyncd'));
  const setting = (name: string, value: string) =>
    says(
      'current_setting(text) RETURNS text',
      `SELECT CASE $1 WHEN '${name}' THEN '${value}' ELSE pg_catalog.current_setting($1) END`,
    );
  told(setting('server_version_num', '160004'), () => expectMend('server', 'fault', 'pg_upgrade'));
  told(setting('server_encoding', 'SQL_ASCII'), () => expectMend('server', 'fault', 'UTF8'));
  told(
    `CREATE VIEW told.pg_stat_activity AS SELECT 4242 AS pid, 'bell' AS usename, current_database() AS datname,
       now() - interval '2 hours' AS xact_start, null::xid AS backend_xmin`,
    () => expectMend('open transactions', 'warn', 'pg_terminate_backend(4242)'),
  );
  told(
    `CREATE VIEW told.pg_prepared_xacts AS SELECT 'forgotten' AS gid, 'bell' AS owner,
       current_database() AS database, now() - interval '2 hours' AS prepared`,
    () => expectMend('open transactions', 'warn', `ROLLBACK PREPARED 'forgotten'`),
  );
  told(
    `CREATE VIEW told.pg_database AS SELECT 'shopbell' AS datname, -1 AS datconnlimit,
       ((pg_current_xact_id()::text::bigint + 4294967296 - 1600000000) % 4294967296)::text::xid AS datfrozenxid`,
    () => expectMend('transaction ids', 'warn', 'VACUUM (FREEZE)'),
  );
  for (const check of ['clock', 'server', 'open transactions', 'transaction ids']) expectWell(check);
});
