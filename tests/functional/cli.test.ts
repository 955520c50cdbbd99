import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { shopbell } from './support.ts';

// These tests use their own server, because a server can hold only one installation.
const dir = mkdtempSync(join(tmpdir(), 'shopbell-cli.'));
const home = join(dir, 'home');
const config = join(home, 'shopbell.toml');
let admin = '';
let firstInit = '';

const services = (...args: string[]) =>
  spawnSync('tools/services', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status;
const init = (directory: string, ...more: string[]) =>
  shopbell(['init', '--admin', admin, '--directory', directory, ...more]);
const asAdministrator = (sql: string, database = 'postgres') =>
  spawnSync('psql', ['-XAtq', '-v', 'ON_ERROR_STOP=1', `${admin} dbname=${database}`, '-c', sql], {
    encoding: 'utf8',
  });
const createAccount = (args: Record<string, string> = {}) => {
  const given = Object.entries({ name: 'Bell', currency: 'EUR', ...args });
  return shopbell(['account', 'create', ...given.flatMap(([name, value]) => [`--${name}`, value])], config);
};
const createKey = (args: Record<string, string>) => {
  const given = Object.entries({ name: 'key', scopes: 'all', ...args });
  return shopbell(['key', 'create', ...given.flatMap(([name, value]) => [`--${name}`, value])], config);
};
const count = (table: string) => asAdministrator(`SELECT count(*) FROM ${table}`, 'shopbell').stdout;

// A refused command prints one sentence of its own and has no effect. PostgreSQL's constraint messages do not help an
// operator.
const isRefusal = ({ status, stdout, stderr }: ReturnType<typeof shopbell>) =>
  status === 1 && stdout === '' && /^shopbell: .+\n$/.test(stderr) && !/constraint|relation|invalid input/.test(stderr);

before(() => {
  chmodSync(dir, 0o711); // PostgreSQL runs as another user and needs access to this directory
  assert.equal(services('start', join(dir, 'services')), 0);
  admin = /^SHOPBELL_PG='(.*)'$/m.exec(readFileSync(join(dir, 'services/env'), 'utf8'))![1]!;
  const made = init(home, '--store', 'Bell & Daughters', '--currency', 'CHF');
  assert.equal(made.status, 0, made.stderr);
  firstInit = made.stdout;
});

after(() => {
  services('stop', join(dir, 'services'));
  rmSync(dir, { recursive: true });
});

test('init writes secrets that only their owner may read', () => {
  assert.deepEqual(readdirSync(home).sort(), ['keyring', 'owner.toml', 'shopbell.toml']);
  for (const name of readdirSync(home)) assert.equal(statSync(join(home, name)).mode & 0o777, 0o600, name);
});

test('init keeps the owner’s password out of the service’s configuration', () => {
  assert(!readFileSync(config, 'utf8').includes('shopbell_owner'));
});

test('init creates the first store and prints a key for it once', () => {
  const [, account] = /^account=(\d+)\ntest_account=\d+\nkey=sb_live_[0-9A-Za-z]{36,}$/m.exec(firstInit)!;
  assert.match(shopbell(['account', 'list'], config).stdout, new RegExp(`^${account} .*Bell & Daughters$`, 'm'));
  assert.match(shopbell(['key', 'list', '--account', account!], config).stdout, /first key/);
  assert.match(firstInit, /^ {2}curl .*createContact=true/m);
});

test('a second init changes nothing, prints no key, and reports the existing installation', () => {
  const state = () => [
    ...readdirSync(home).map((name) => readFileSync(join(home, name), 'utf8')),
    count('account'),
    count('api_key'),
  ];
  const before = state();
  for (const again of [init(home), shopbell(['init', '--directory', home], config)]) {
    assert.equal(again.status, 0, again.stderr);
    assert.equal(again.stdout.match(/^already exists: /gm)?.length, 3, again.stdout);
    assert(!again.stdout.includes('key=sb_'));
  }
  assert.deepEqual(state(), before);
});

test('init refuses a directory with a partial installation', () => {
  const part = join(dir, 'part');
  mkdirSync(part);
  copyFileSync(config, join(part, 'shopbell.toml'));
  assert(isRefusal(init(part)));
  assert.deepEqual(readdirSync(part), ['shopbell.toml']);
});

test('init refuses an invalid first store before it creates anything', () => {
  const nowhere = join(dir, 'never');
  assert(isRefusal(init(nowhere, '--currency', 'euro')));
  assert(!existsSync(nowhere));
});

test('init refuses a server that already has an installation', () => {
  const elsewhere = join(dir, 'elsewhere');
  assert(isRefusal(init(elsewhere)));
  assert.deepEqual(readdirSync(elsewhere), []);
});

test('migrate has nothing to do after init', () => {
  for (const more of [[], ['--check'], ['--dry-run']]) {
    const { status, stdout } = shopbell(['migrate', ...more], config);
    assert.deepEqual([status, stdout], [0, 'the schema is up to date\n'], more.join());
  }
  assert(shopbell(['migrate', '--check', '--dry-run'], config).status! > 100);
});

test('migrate lists pending migrations, and a dry run leaves no trace', (t) => {
  const names = readdirSync('migrations')
    .filter((file) => /^\d/.test(file))
    .sort()
    .map((file) => file.replace('.sql', ''));
  const owner = readFileSync(join(home, 'owner.toml'), 'utf8');
  const other = join(dir, 'fresh.toml');
  writeFileSync(other, owner.replace(/\/shopbell"/, '/fresh"'));
  assert.equal(asAdministrator('CREATE DATABASE fresh OWNER shopbell_owner TEMPLATE template0').status, 0);
  t.after(() => asAdministrator('DROP DATABASE fresh'));
  const fresh = (...more: string[]) => shopbell(['migrate', '--owner', other, ...more], config);
  const lines = (text: string) => text.trim().split('\n');
  const online = names.findIndex((name) => readFileSync(`migrations/${name}.sql`, 'utf8').startsWith('-- online'));

  const missing = fresh('--check');
  assert.equal(missing.status, 1, missing.stderr);
  assert.deepEqual(
    lines(missing.stdout),
    names.map((name) => `missing ${name}`),
  );
  const tried = fresh('--dry-run');
  assert.equal(tried.status, 0, tried.stderr);
  assert.deepEqual(
    lines(tried.stdout).map((line) => line.replace(/ \d+ ms$/, '')),
    [
      ...names.slice(0, online).map((name) => `tried ${name}`),
      ...names.slice(online).map((name) => `not tried ${name}: it is an online migration, or follows one`),
      'rolled back',
    ],
  );
  assert.equal(asAdministrator("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'", 'fresh').stdout, '0\n');
  assert.equal(fresh('--check').status, 1);
  assert.equal(fresh().status, 0);
  assert.equal(fresh('--check').status, 0);
});

test('migrate accepts a newer schema, and refuses a changed migration', (t) => {
  t.after(() => asAdministrator("DELETE FROM schema_migration WHERE name = 'later'", 'shopbell'));
  asAdministrator(
    "INSERT INTO schema_migration (number, name, checksum) SELECT max(number) + 1, 'later', '' FROM schema_migration",
    'shopbell',
  );
  const newer = shopbell(['migrate', '--check'], config);
  assert.deepEqual([newer.status, newer.stdout], [2, 'newer later\n'], newer.stderr);
  for (const more of [[], ['--dry-run']]) assert(isRefusal(shopbell(['migrate', ...more], config)));
  asAdministrator("UPDATE schema_migration SET checksum = 'x' || checksum WHERE number = 1", 'shopbell');
  t.after(() =>
    asAdministrator('UPDATE schema_migration SET checksum = substr(checksum, 2) WHERE number = 1', 'shopbell'),
  );
  assert(isRefusal(shopbell(['migrate', '--check'], config)));
});

test('an account gets a test account, and keys show which of the two they belong to', () => {
  const made = createAccount();
  assert.equal(made.status, 0, made.stderr);
  const [, live, trial] = /^account=(\d+)\ntest_account=(\d+)\n$/.exec(made.stdout)!;
  assert.match(createKey({ account: live! }).stdout, /^key=sb_live_[0-9A-Za-z]{36,}\n$/);
  assert.match(createKey({ account: trial! }).stdout, /^key=sb_test_[0-9A-Za-z]{36,}\n$/);
});

test('account create rejects invalid stores', () => {
  const wrong: Record<string, string>[] = [
    { name: '' },
    { name: 'x'.repeat(256) },
    { name: 'two\nlines' },
    { currency: '' },
    { currency: 'eur' },
    { currency: 'EURO' },
    { currency: 'QQQ' },
    { 'time-zone': '' },
    { 'time-zone': 'Mars/Olympus' },
    { 'time-zone': '../etc/passwd' },
    { locale: '' },
    { locale: 'not a locale' },
    { country: '' },
    { country: 'Austria' },
    { country: 'QQ' },
    { url: '' },
    { url: 'bell.example' },
    { url: 'ftp://bell.example' },
    { url: 'https://' },
    { url: 'https://be ll.example' },
    { url: 'https://user:word@bell.example' },
    { url: `https://bell.example/${'x'.repeat(2048)}` },
  ];
  const before = count('account');
  assert.deepEqual(
    wrong.filter((args) => !isRefusal(createAccount(args))),
    [],
  );
  assert.equal(count('account'), before);
});

test('account create accepts valid stores', () => {
  const right: Record<string, string>[] = [
    { name: 'x'.repeat(255) },
    { name: 'Glöckchen & Töchter 🔔' },
    { currency: 'JPY' },
    { 'time-zone': 'America/Argentina/Ushuaia' },
    { locale: 'zh-Hant-TW' },
    { url: 'http://bell.example:8080/shop?lang=de' },
    { url: 'https://bell.example/@shop' },
  ];
  assert.deepEqual(
    right.filter((args) => createAccount(args).status !== 0),
    [],
  );
});

test('key create rejects invalid keys', () => {
  const account = /^account=(\d+)$/m.exec(createAccount().stdout)![1]!;
  const wrong: Record<string, string>[] = [
    { account: '1' },
    { account, scopes: 'store:fly' },
    { account, scopes: 'store:read,nonsense' },
    { account, scopes: 'all,store:read' },
    { account, expires: 'tomorrow' },
    { account, expires: '2027-02-30T00:00:00Z' },
    { account, name: '' },
    { account, name: 'x'.repeat(256) },
    { account, name: 'two\nlines' },
  ];
  const before = count('api_key');
  assert.deepEqual(
    wrong.filter((args) => !isRefusal(createKey(args))),
    [],
  );
  assert.equal(count('api_key'), before);
});

test('a missing configuration file is reported', () => {
  assert(isRefusal(shopbell(['run'], join(dir, 'nowhere.toml'))));
});

// This test must be last, because it removes roles and files that the other tests use.
test('the next init completes an interrupted one', () => {
  const files = () => readdirSync(home).map((name) => readFileSync(join(home, name), 'utf8'));
  const before = files();
  for (const sql of ['DROP DATABASE shopbell', 'DROP ROLE shopbell_reader', 'DROP ROLE shopbell_owner'])
    assert.equal(asAdministrator(sql).status, 0, sql);
  const finished = init(home);
  assert.equal(finished.status, 0, finished.stderr);
  assert.match(finished.stdout, /^key=sb_live_/m);
  assert.deepEqual(files(), before);
  assert.equal(shopbell(['account', 'list'], config).status, 0);
  assert.equal(asAdministrator("SELECT has_database_privilege('public', 'shopbell', 'CONNECT')").stdout, 'f\n');
});
