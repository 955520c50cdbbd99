// Replaces a key of the keyring: rotate, restart, reseal, retire. Uses its own server and installation, because every
// running process counts.
import assert from 'node:assert/strict';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';

import { ask, binary, eventually, psql as psqlAs, ready, shopbell } from './support.ts';

const dir = mkdtempSync(join(tmpdir(), 'shopbell-keyring.'));
const home = join(dir, 'home');
const config = join(home, 'shopbell.toml');
const ring = join(home, 'keyring');
let admin = '';
let key = '';

const services = (...args: string[]) =>
  spawnSync('tools/services', args, { stdio: ['ignore', 'ignore', 'inherit'] }).status;
const keyring = (...args: string[]) => shopbell(['keyring', ...args], config);
const psql = (sql: string) => psqlAs(sql, `${admin} dbname=shopbell`);

before(() => {
  chmodSync(dir, 0o711); // PostgreSQL runs as another user and needs access to this directory
  assert.equal(services('start', join(dir, 'services')), 0);
  admin = /^SHOPBELL_PG='(.*)'$/m.exec(readFileSync(join(dir, 'services/env'), 'utf8'))![1]!;
  const made = shopbell(['init', '--admin', admin, '--directory', home, '--store', 'Bell', '--currency', 'EUR']);
  assert.equal(made.status, 0, made.stderr);
  key = /^key=(\w+)$/m.exec(made.stdout)![1]!;
});

let running: ChildProcess | undefined;
after(() => {
  running?.kill('SIGKILL');
  services('stop', join(dir, 'services'));
  rmSync(dir, { recursive: true });
});

/** Starts the service, or restarts it with the keyring as it is now. Returns its URL. */
async function restart(): Promise<string> {
  if (running) {
    const ended = once(running, 'close');
    running.kill('SIGTERM');
    await ended;
  }
  const ports = { SHOPBELL_HTTP_LISTEN: '127.0.0.1:0', SHOPBELL_PRIVATE_LISTEN: '127.0.0.1:0' };
  const child = spawn(binary, ['--config', config, 'run'], {
    env: { ...process.env, ...ports },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  running = child;
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  const [, url, privateUrl] = await eventually(() => {
    assert.equal(child.exitCode, null, log);
    return /"url":"(.*?)","privateUrl":"(.*?)"/.exec(log);
  });
  await eventually(async () => (await ready({ privateUrl: privateUrl! })).ready, 30);
  await eventually(() => psql('SELECT count(*) FROM process WHERE keyring_keys IS NOT NULL') === '1');
  return url!;
}

const send = async (at: string, method: string, path: string, body?: object) => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await ask(path, { method, headers, body: body && JSON.stringify(body) } as RequestInit, at);
  return { status: response.status, json: (await response.json()) as { id: string } };
};

/** Makes all keys older, as if `hours` had passed. */
const age = (hours: number) =>
  writeFileSync(
    ring,
    readFileSync(ring, 'utf8').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, (time) =>
      new Date(Date.parse(time) - hours * 3_600_000).toISOString(),
    ),
  );

const expectRefusal = (ran: ReturnType<typeof shopbell>, ...words: RegExp[]) => {
  assert.equal(ran.status, 1, ran.stdout);
  for (const word of words) assert.match(ran.stderr, word);
};

test('a key of the keyring is replaced without downtime, and then removed', async () => {
  let url = await restart();
  const headers = [{ name: 'X-Token', value: 'sesame' }];
  const webhook = { url: 'https://example.com/hook', kinds: ['contact.created'], headers };
  assert.equal((await send(url, 'POST', '/manage/webhooks/', webhook)).status, 201);
  const integration = await send(url, 'POST', '/custom-integrations/', { name: 'Shop' });
  const type = { name: 'Sent', direction: 'send', url: 'https://example.com/in', headers };
  const types = `/custom-integrations/${integration.json.id}/custom-event-types/`;
  assert.equal((await send(url, 'POST', types, type)).status, 201);
  assert.equal(psql('SELECT count(*) FROM api_key WHERE ring_key = 1'), '1');
  const unused = shopbell(
    ['key', 'create', '--account', psql('SELECT min(account_id) FROM api_key'), '--name', 'Till', '--scopes', 'all'],
    config,
  );
  assert.equal(unused.status, 0, unused.stderr);

  expectRefusal(keyring('retire', '1'), /key 1 is in use/);
  expectRefusal(keyring('retire', '7'), /there is no key 7/);
  assert.equal(keyring('rotate').status, 0);
  expectRefusal(keyring('reseal'), /key 2 takes over at/, /runs without key 2/);
  expectRefusal(keyring('retire', '1'), /key 1 is in use/);
  age(2);
  expectRefusal(keyring('reseal'), /the process .* runs without key 2/);
  url = await restart();

  // Everything works under the old key, and the API key is hashed under the new one when it is used.
  assert.equal((await send(url, 'GET', '/store/')).status, 200);
  await eventually(() => psql('SELECT count(*) FROM api_key WHERE ring_key = 2') === '1');
  expectRefusal(
    keyring('retire', '1'),
    /Idempotency-Keys may depend on it until/,
    /the secrets of 1 webhook and 1 event type are encrypted under it/,
    /1 API keys were not used.*\n +Till of account \d+, last used: never/,
  );
  const resealed = keyring('reseal');
  assert.equal(resealed.status, 0, resealed.stderr);
  assert.match(resealed.stdout, /encrypted the secrets of 1 webhook and 1 event type under key 2/);
  assert.match(keyring('reseal').stdout, /encrypted the secrets of 0 webhooks and 0 event types/);

  age(8 * 24);
  psql(`UPDATE api_key SET revoked_at = now() WHERE name = 'Till'`);
  const first = readFileSync(ring, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('1 '))!;
  const retired = keyring('retire', '1');
  assert.equal(retired.status, 0, retired.stderr);
  assert(!readFileSync(ring, 'utf8').includes(first.split(' ').at(-1)!));
  assert.match(keyring('list').stdout, /^1 .* hashes of addresses$/m);
  url = await restart();
  assert.equal((await send(url, 'GET', '/store/')).status, 200);
  const doctor = JSON.parse(shopbell(['doctor', '--json'], config).stdout) as { check: string; found: string }[];
  assert.match(doctor.find(({ check }) => check === 'keyring fits')!.found, /it decrypts the secrets/);
  assert.equal(keyring('rotate').status, 0);
});
