// Clients that try to exhaust the service: they send without a key, read slowly, or open many connections.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import {
  ask,
  createAccount,
  createKey,
  eventually,
  expectProblem,
  key,
  psql,
  raw,
  ready,
  shopbell,
  start,
  url,
  type Instance,
} from './support.ts';

const withKey = `Authorization: Bearer ${key}`;
const request = (line: string, headers: string[], body = '') => [line, 'Host: x', ...headers, '', body].join('\r\n');
const chunked = ['Content-Type: application/json', 'Transfer-Encoding: chunked'];

async function started(t: Parameters<typeof start>[0], settings: Record<string, string> = {}): Promise<Instance> {
  const own = await start(t, settings);
  await eventually(async () => (await ready(own)).ready);
  return own;
}

function dial(at = url): Socket {
  const { hostname, port } = new URL(at);
  return connect({ host: hostname, port: Number(port) });
}

/** The head of the next response. */
async function firstHead(socket: Socket): Promise<string> {
  let text = '';
  while (!text.includes('\r\n\r\n')) {
    const [bytes] = (await once(socket, 'data', { signal: AbortSignal.timeout(5_000) })) as [Buffer];
    text += bytes.toString('latin1');
  }
  return text.slice(0, text.indexOf('\r\n\r\n'));
}

test('a trailer is no header: it neither authenticates nor names the client’s address', async (t) => {
  const body = '2\r\n{}\r\n0\r\n';
  const patch = 'PATCH /contacts/external-id/trailer HTTP/1.1';
  const [response] = await raw(request(patch, [...chunked, 'Connection: close'], `${body}${withKey}\r\n\r\n`));
  await expectProblem(response, 401, 'unauthorized');

  const own = await started(t, { SHOPBELL_HTTP_TRUSTED_PROXIES: '127.0.0.1' });
  const account = createAccount('Trailers');
  const limited = createKey(account, 'from one address');
  psql(`UPDATE api_key SET allowed_addresses = '{192.0.2.7}' WHERE name = 'from one address'`);
  const from = [`Authorization: Bearer ${limited}`, 'Connection: close'];
  const address = 'X-Forwarded-For: 192.0.2.7';
  const [header] = await raw(request(patch, [...chunked, ...from, address], `${body}\r\n`), { at: own.url });
  await expectProblem(header, 404, 'not-found', own.url);
  const [trailer] = await raw(request(patch, [...chunked, ...from], `${body}${address}\r\n\r\n`), { at: own.url });
  await expectProblem(trailer, 401, 'unauthorized', own.url);
});

test('chunks of HTTP/1.0 and control characters in chunk extensions are malformed', async () => {
  const line = 'PATCH /contacts/external-id/chunks HTTP/1.';
  const headers = [...chunked, withKey, 'Connection: keep-alive'];
  const [old] = await raw(request(`${line}0`, headers, '2\r\n{}\r\n0\r\n\r\n'));
  await expectProblem(old, 400, 'malformed-request');
  for (const extension of [';a="\n"', ';a="\x01"', ';a="\x7f"']) {
    const [control] = await raw(request(`${line}1`, headers, `2${extension}\r\n{}\r\n0\r\n\r\n`));
    await expectProblem(control, 400, 'malformed-request');
  }
});

test('the key is checked before the body is read', async () => {
  const head = (...more: string[]) => request('PATCH /products/product-id/big HTTP/1.1', more);
  const json = 'Content-Type: application/json';
  for (const headers of [
    [json, 'Content-Length: 4000000'],
    [json, 'Transfer-Encoding: chunked'],
    [json, 'Content-Length: 4000000', 'Expect: 100-continue'],
    ['Content-Type: text/plain', 'Content-Length: 4000000'],
  ]) {
    const socket = dial();
    socket.write(head(...headers));
    assert.match(await firstHead(socket), /^HTTP\/1\.1 401 /, headers.join());
    socket.destroy();
  }
  // With a key, the body is read, after 100 Continue if the client waits for that.
  const waiting = dial();
  waiting.write(head(json, withKey, 'Content-Length: 2', 'Expect: 100-continue'));
  assert.match(await firstHead(waiting), /^HTTP\/1\.1 100 /);
  waiting.write('{}');
  assert.match(await firstHead(waiting), /^HTTP\/1\.1 422 /);
  waiting.destroy();
});

test('a short body of a refused request does not end the connection', async () => {
  const refused = request('PATCH /products/product-id/small HTTP/1.1', [
    'Content-Type: application/json',
    'Content-Length: 3000',
  ]);
  const rest = 'x'.repeat(3000);
  const last = request('GET /store/ HTTP/1.1', [withKey, 'Connection: close']);
  const [first, second] = await raw(refused + rest + last);
  assert.equal(first?.status, 401);
  assert.equal(second?.status, 200);
});

test('a client that stops sending inside the body gets 400, and the connection ends at once', async () => {
  const head = request('PATCH /contacts/external-id/half HTTP/1.1', [
    withKey,
    'Content-Type: application/json',
    'Content-Length: 9',
  ]);
  const from = Date.now();
  const [response] = await raw(`${head}{`, { halfClose: true });
  await expectProblem(response, 400, 'malformed-request');
  assert(Date.now() - from < 5_000);
});

test('a key that is revoked while the body arrives is refused', async () => {
  const account = createAccount('Revoked meanwhile');
  const revoked = createKey(account, 'revoked meanwhile');
  const socket = dial();
  const authorization = `Authorization: Bearer ${revoked}`;
  socket.write(
    request('PATCH /contacts/external-id/late?createContact=true HTTP/1.1', [
      'Content-Type: application/json',
      'Content-Length: 2',
      authorization,
    ]),
  );
  await sleep(200);
  const id = psql(`SELECT key_id FROM api_key WHERE name = 'revoked meanwhile'`);
  assert.equal(shopbell(['key', 'revoke', id]).status, 0);
  await sleep(1_000);
  socket.write('{}');
  assert.match(await firstHead(socket), /^HTTP\/1\.1 401 /);
  socket.destroy();
});

test('fixed pages have an ETag and are compressed', async () => {
  for (const path of ['/openapi.json', '/docs', '/problems/', '/problems/not-found']) {
    const headers = { 'accept-encoding': 'identity' };
    const plain = await ask(path, { headers });
    const tag = plain.headers.get('etag');
    assert.match(tag ?? '', /^"[0-9a-f]{32}"$/, path);
    const text = await plain.text();
    for (const coding of text.length < 1024 ? [] : ['gzip', 'zstd']) {
      const [coded] = await raw(request(`GET ${path} HTTP/1.1`, [`Accept-Encoding: ${coding}`, 'Connection: close']));
      assert.equal(coded?.headers.get('content-encoding'), coding, path);
      assert.equal(coded?.headers.get('etag'), tag!.replace(/"$/, `-${coding}"`), path);
      assert((await coded!.arrayBuffer()).byteLength < text.length / 2, path);
    }
    for (const known of [tag!, `"other", W/${tag!}`, tag!.replace(/"$/, '-gzip"')]) {
      const unchanged = await ask(path, { headers: { 'if-none-match': known } });
      assert.equal(unchanged.status, 304, path);
      assert.equal(await unchanged.text(), '');
    }
    assert.equal((await ask(path, { headers: { 'if-none-match': '"other"' } })).status, 200);
    assert.equal((await ask(path, { method: 'HEAD', headers })).headers.get('etag'), tag);
  }
});

test('requests without a key are limited by address', async (t) => {
  const own = await started(t, { SHOPBELL_HTTP_TRUSTED_PROXIES: '127.0.0.1' });
  const get = (address: string, path = '/problems/not-found') =>
    ask(path, { headers: { 'x-forwarded-for': address } }, own.url);
  let granted = 0;
  let refused: Response | undefined;
  while (!refused && granted < 5_000) {
    const responses = await Promise.all(Array.from({ length: 200 }, () => get('192.0.2.7', '/problems/')));
    refused = responses.find(({ status }) => status === 429);
    granted += responses.filter(({ status }) => status === 200).length;
  }
  assert(granted >= 500, `${granted} granted`);
  assert.match(refused?.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  const problem = await expectProblem(refused, 429, 'quota-exceeded', own.url);
  assert.deepEqual(problem['violated-policies'], ['anonymous']);
  assert.equal((await get('192.0.2.7', '/store/')).status, 200, 'a request with a key');
  assert.equal((await get('192.0.2.8')).status, 200, 'another address');
});

test('an address may have a limited number of connections', async (t) => {
  const settings = { SHOPBELL_HTTP_CONNECTIONS_PER_ADDRESS: '4', SHOPBELL_HTTP_THREADS: '2' };
  const own = await started(t, settings);
  const open = (at: string) => {
    const sockets = Array.from({ length: 6 }, () => dial(at));
    t.after(() => sockets.forEach((socket) => socket.destroy()));
    return sockets.map((socket) => {
      const state = { socket, closed: false };
      socket.on('error', () => {}).on('close', () => (state.closed = true));
      socket.resume();
      return state;
    });
  };
  const states = open(own.url);
  await eventually(() => states.filter(({ closed }) => closed).length === 2);
  await sleep(200);
  assert.equal(states.filter(({ closed }) => closed).length, 2);
  const metrics = await (await fetch(`${own.privateUrl}/metrics`)).text();
  assert.match(metrics, /^shopbell_refused_connections_total 2$/m);
  states.forEach(({ socket }) => socket.destroy());
  await eventually(async () => (await ask('/store/', {}, own.url).catch(() => null))?.status === 200);

  const behind = await started(t, { ...settings, SHOPBELL_HTTP_TRUSTED_PROXIES: '127.0.0.0/8' });
  const proxied = open(behind.url);
  await sleep(500);
  assert(proxied.every(({ closed }) => !closed));
});

test('bodies have a memory budget, and one account gets a share of it', async (t) => {
  const own = await started(t);
  const account = createAccount('Large bodies');
  const large = createKey(account, 'large bodies');
  const head = request('POST /custom-events/alias/none HTTP/1.1', [
    'Content-Type: application/x-ndjson',
    `Content-Length: ${8 << 20}`,
    `Authorization: Bearer ${large}`,
  ]);
  // Each sends all but the last byte of 8 MiB; the share of an account is 64 MiB.
  const most = Buffer.alloc((8 << 20) - 1, ' ');
  const sockets = Array.from({ length: 12 }, () => dial(own.url));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  const refused: string[] = [];
  for (const socket of sockets) {
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => refused.push(bytes.toString('latin1')));
    socket.write(head);
    socket.write(most);
  }
  await eventually(() => refused.length > 0);
  assert.match(refused[0]!, /^HTTP\/1\.1 503 /);
  assert.match(refused[0]!, /\r\nRetry-After: 1\r\n/);
  assert.match(refused[0]!, /"code":"unavailable"/);
  // Other accounts have room.
  const body = JSON.stringify({ name: 'Bell', url: 'https://example.com/', description: 'x'.repeat(60_000) });
  const headers = { 'content-type': 'application/json' };
  const product = await ask('/products/product-id/other', { method: 'PATCH', body, headers }, own.url);
  assert.equal(product.status, 201);
  sockets.forEach((socket) => socket.destroy());
  await eventually(async () =>
    /^shopbell_request_memory_bytes 0$/m.test(await (await fetch(`${own.privateUrl}/metrics`)).text()),
  );
});
