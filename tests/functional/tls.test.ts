// TLS on the public listener, and Expect: 100-continue over both kinds of connection.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request as plainRequest, type IncomingMessage } from 'node:http';
import { Agent, request as tlsRequest } from 'node:https';
import { connect as dial, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect as secure, type ConnectionOptions, type TLSSocket } from 'node:tls';

import { eventually, key, openapi, raw, ready, shopbell, start, url } from './support.ts';

/** A folder with the certificates `first` and `second`; `use` installs one for the service. */
function certificates(t: TestContext) {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-tls.'));
  t.after(() => rmSync(dir, { recursive: true }));
  for (const name of ['first', 'second']) {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-days', '2'];
    const who = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
    const files = ['-keyout', join(dir, `${name}.key`), '-out', join(dir, `${name}.pem`)];
    const made = spawnSync('openssl', ['req', '-x509', ...curve, ...who, ...files]);
    assert.equal(made.status, 0, `${made.stderr}`);
  }
  const certificate = join(dir, 'certificate.pem');
  const privateKey = join(dir, 'key.pem');
  const use = (name: string) => {
    copyFileSync(join(dir, `${name}.pem`), certificate);
    copyFileSync(join(dir, `${name}.key`), privateKey);
  };
  use('first');
  const ca = ['first', 'second'].map((name) => readFileSync(join(dir, `${name}.pem`)));
  const settings = {
    SHOPBELL_HTTP_TLS_CERTIFICATE: certificate,
    SHOPBELL_HTTP_TLS_KEY: privateKey,
  };
  return { certificate, privateKey, use, ca, settings };
}

async function startSecure(t: TestContext) {
  const files = certificates(t);
  const instance = await start(t, files.settings);
  await eventually(async () => (await ready(instance)).ready);
  const port = Number(new URL(instance.url).port);
  const agent = () => {
    const made = new Agent({
      ca: files.ca,
      keepAlive: true,
      maxSockets: 1,
      maxCachedSessions: 0,
    });
    t.after(() => made.destroy());
    return made;
  };
  const connect = async (options: ConnectionOptions = {}) => {
    const socket = secure({ host: '127.0.0.1', port, ca: files.ca, ...options });
    t.after(() => socket.destroy());
    await once(socket, 'secureConnect');
    return socket;
  };
  return { ...files, instance, port, agent, connect };
}

/** Sends one request, by default without a key and a rate limit. Also returns the connection's certificate. */
async function over(agent: Agent, at: string, path = '/problems/') {
  const headers = { authorization: `Bearer ${key}` };
  const asked = tlsRequest(at + path, { agent, headers }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const socket = response.socket as TLSSocket;
  const whose = socket.getPeerCertificate().subject.CN;
  let body = '';
  for await (const part of response) body += part;
  return { status: response.statusCode, headers: response.headers, body, whose };
}

async function ended(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += chunk)).on('error', () => {});
  if (!socket.closed) await once(socket, 'close');
  return text;
}

test('the API is served over TLS 1.2 and 1.3', async (t) => {
  const { instance, agent, connect } = await startSecure(t);
  assert.match(instance.url, /^https:/);
  assert.match(instance.privateUrl, /^http:/);
  const own = agent();
  for (let i = 0; i < 3; ++i) {
    const answer = await over(own, instance.url, '/store/');
    assert.deepEqual([answer.status, answer.whose], [200, 'first']);
    assert.equal(JSON.parse(answer.body).name, 'Bell & Daughters');
  }
  const document = await over(own, instance.url, '/openapi.json');
  assert.equal(JSON.parse(document.body).openapi, openapi.openapi);
  assert(document.body.length > 16_384, 'the body must need several records');

  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    const socket = await connect({
      minVersion: version,
      maxVersion: version,
      ALPNProtocols: ['h2', 'http/1.1'],
    });
    assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], [version, 'http/1.1']);
    socket.write('GET /problems/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    assert.match(await ended(socket), /^HTTP\/1\.1 200 OK\r\n/);
  }
  await assert.rejects(connect({ ALPNProtocols: ['h2'] }));
  const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
  await assert.rejects(connect(old as ConnectionOptions));
});

test('a session can be resumed', async (t) => {
  const { connect } = await startSecure(t);
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const first = await connect({ maxVersion });
    const sessions = [first.getSession()]; // TLS 1.3 sends the session ticket after the handshake
    first.on('session', (session) => sessions.push(session));
    first.write('GET /problems/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    await ended(first);
    const second = await connect({ maxVersion, session: sessions.at(-1) });
    assert(second.isSessionReused(), maxVersion);
  }
});

test('a connection cannot be renegotiated', async (t) => {
  const { connect } = await startSecure(t);
  const socket = await connect({ maxVersion: 'TLSv1.2' });
  socket.on('error', () => {});
  const refused = await new Promise((resolve) => {
    socket.on('close', () => resolve('closed'));
    socket.renegotiate({}, resolve);
  });
  assert(refused);
});

test('many concurrent connections, with bodies of many records', async (t) => {
  const { instance, agent } = await startSecure(t);
  const customer = async (size: number) => {
    const own = agent();
    for (let i = 0; i < 10; ++i) {
      assert.equal((await over(own, instance.url)).status, 200);
      const sent = tlsRequest(`${instance.url}/store/`, { agent: own, method: 'POST' });
      sent.end('x'.repeat(size));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      assert.equal(response.statusCode, 405);
      response.resume();
      await once(response, 'end');
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, i) => customer(i * 80_000)));
});

test('a plain HTTP request gets an explanation', async (t) => {
  const { instance, port } = await startSecure(t);
  const at = instance.url.replace('https:', 'http:');
  const [response] = await raw('GET /store/ HTTP/1.1\r\nHost: x\r\n\r\n', { at });
  assert.equal(response?.status, 400);
  const problem = (await response.json()) as { code: string; detail: string };
  assert.equal(problem.code, 'malformed-request');
  assert.match(problem.detail, /https/);

  const socket = dial(port, '127.0.0.1');
  socket.write('\0'.repeat(100));
  assert(!(await ended(socket)).includes('HTTP'));
});

test('a stalled handshake is cut off', async (t) => {
  const { instance, port } = await startSecure(t);
  // The first bytes of a ClientHello, which is never completed.
  const opening = Buffer.from('160301020001000' + '1fc0303', 'hex');
  const from = Date.now();
  const waits = [Buffer.of(), opening].map(async (bytes) => {
    const socket = dial(port, '127.0.0.1');
    socket.write(bytes);
    await ended(socket);
    return Date.now() - from;
  });
  for (const ms of await Promise.all(waits)) assert(ms > 9_000 && ms < 12_000, `${ms} ms`);
  const metrics = await (await fetch(`${instance.privateUrl}/metrics`)).text();
  assert.match(metrics, /^shopbell_open_connections [12]$/m); // only the private listener's connections are left
});

test('new certificate files are loaded without a restart, and old connections continue', async (t) => {
  const { instance, agent, use } = await startSecure(t);
  const old = agent();
  assert.equal((await over(old, instance.url)).whose, 'first');
  use('second');
  await eventually(async () => (await over(agent(), instance.url)).whose === 'second');
  const answer = await over(old, instance.url);
  assert.deepEqual([answer.status, answer.whose], [200, 'first']);
  assert.equal(instance.log().match(/"certificate loaded"/g)?.length, 2);
  assert.equal((await instance.stop()).code, 0, instance.log());
});

test('SIGHUP loads new files at once, and is ignored without TLS', async (t) => {
  const { instance, agent, use } = await startSecure(t);
  const old = agent();
  assert.equal((await over(old, instance.url)).whose, 'first');
  use('second');
  instance.process.kill('SIGHUP');
  const from = Date.now();
  await eventually(async () => (await over(agent(), instance.url)).whose === 'second');
  assert(Date.now() - from < 1500); // the service reloaded at once; polling the files would have taken 2 s
  assert.equal((await over(old, instance.url)).whose, 'first');

  const plain = await start(t);
  plain.process.kill('SIGHUP');
  await sleep(200);
  assert.equal((await fetch(`${plain.url}/problems/`)).status, 200);
});

test('with an unusable file the old certificate stays in use, and an error is logged', async (t) => {
  const { instance, agent, use, certificate, privateKey } = await startSecure(t);
  const told = () => instance.log().match(/"error","event":"certificate not loaded".*/g) ?? [];
  writeFileSync(certificate, 'nonsense');
  instance.process.kill('SIGHUP');
  await eventually(() => told().length === 1);
  assert(told()[0]!.includes(certificate));
  assert.equal((await over(agent(), instance.url)).whose, 'first');

  rmSync(privateKey);
  await eventually(() => told().length === 2);
  await sleep(4500);
  assert.equal(told().length, 2); // the error is logged once per change of the files, not at every check
  assert.equal((await over(agent(), instance.url)).whose, 'first');

  use('second');
  await eventually(async () => (await over(agent(), instance.url)).whose === 'second');
});

test('unusable files prevent the start', async (t) => {
  const { settings, certificate, privateKey } = certificates(t);
  const refusal = (environment: Record<string, string>) => {
    Object.assign(process.env, environment);
    const { status, stderr } = shopbell(['run']);
    for (const name of Object.keys(settings)) delete process.env[name];
    assert.equal(status, 1);
    return stderr;
  };
  const { SHOPBELL_HTTP_TLS_KEY } = settings;
  assert.match(refusal({ SHOPBELL_HTTP_TLS_KEY }), /http\.tls_certificate is not; TLS needs both/);
  const missing = refusal({ ...settings, SHOPBELL_HTTP_TLS_KEY: '/nowhere/key.pem' });
  assert.equal(missing, 'shopbell: the TLS key /nowhere/key.pem cannot be read: No such file or directory\n');
  writeFileSync(certificate, readFileSync(privateKey));
  assert(refusal(settings).startsWith(`shopbell: the TLS certificate ${certificate} cannot be used`));
});

test('a connection over TLS ends with close_notify', async (t) => {
  const { instance, port } = await startSecure(t);
  const client = () => {
    const options = ['-connect', `127.0.0.1:${port}`, '-state', '-ign_eof', '-verify_quiet'];
    const child = spawn('openssl', ['s_client', ...options]);
    t.after(() => child.kill('SIGKILL'));
    let out = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (out += data));
    return { child, out: () => out };
  };
  const goodbye = /alert read:warning:close notify/;
  const asking = client();
  asking.child.stdin.write('GET /problems/ HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(asking.child, 'close');
  assert.match(asking.out(), goodbye);

  const idle = client();
  await eventually(() => idle.out().includes('Verify return code'));
  const idleEnd = once(idle.child, 'close');
  const { code, ms } = await instance.stop();
  assert.equal(code, 0, instance.log());
  assert(ms < 4000, `${ms} ms`);
  await idleEnd;
  assert.match(idle.out(), goodbye);
});

test('a shutdown answers requests over TLS', async (t) => {
  const { instance, agent } = await startSecure(t);
  let answered = 0;
  const customer = async () => {
    const own = agent();
    for (let more = true; more; ++answered) {
      const { status, headers } = await over(own, instance.url);
      assert.equal(status, 200);
      more = headers.connection !== 'close';
    }
  };
  const customers = Array.from({ length: 4 }, customer);
  await eventually(() => answered > 8);
  const stopping = instance.stop();
  await Promise.all(customers);
  assert.equal((await stopping).code, 0, instance.log());
});

test('a client that disconnects during its response does not affect others', async (t) => {
  const { instance, agent, connect } = await startSecure(t);
  const request = 'GET /problems/ HTTP/1.1\r\nHost: x\r\n\r\n';
  for (let i = 0; i < 10; ++i) {
    const socket = await connect();
    socket.write(request.repeat(50));
    await once(socket, 'data');
    socket.destroy();
  }
  assert.equal((await over(agent(), instance.url)).status, 200);
  assert.equal((await instance.stop()).code, 0, instance.log());
});

// Sends the head, waits for the response to it, sends the body and reads to the end.
async function converse(socket: Socket, head: string[], body: string, patience = 10_000) {
  let said = '';
  socket.setEncoding('utf8').on('data', (text) => (said += text));
  socket.write([...head, 'Host: x', 'Connection: close', '', ''].join('\r\n'));
  for (const until = Date.now() + patience; said === '' && Date.now() < until;) await sleep(20);
  const before = said;
  socket.write(body);
  if (!socket.closed) await once(socket, 'close');
  return { before, after: said.slice(before.length) };
}

const wanting = (line: string, ...more: string[]) => [line, 'Expect: 100-continue', ...more];
const plain = () => dial(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
const asked = 'HTTP/1.1 100 Continue\r\n\r\n';
// An operation that reads the body, which is not JSON here.
const reads = (version = '1.1') => `PATCH /contacts/external-id/waits HTTP/${version}`;
const accepted = [`Authorization: Bearer ${key}`, 'Content-Type: application/json'];
const answered = /^HTTP\/1\.1 400 Bad Request\r\n/;

test('a client that expects 100 Continue gets it', async (t) => {
  const { connect } = await startSecure(t);
  for (const dialled of [async () => plain(), connect]) {
    const length = wanting(reads(), ...accepted, 'Content-Length: 3');
    let { before, after } = await converse(await dialled(), length, 'abc');
    assert.equal(before, asked);
    assert.match(after, answered);
    const chunked = wanting(reads(), ...accepted, 'Transfer-Encoding: chunked');
    ({ before, after } = await converse(await dialled(), chunked, '3\r\nabc\r\n0\r\n\r\n'));
    assert.equal(before, asked);
    assert.match(after, answered);
  }
  const request = plainRequest(`${url}/contacts/external-id/waits`, {
    method: 'PATCH',
    headers: {
      expect: '100-continue',
      'content-length': 4,
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
    },
  });
  request.flushHeaders();
  await once(request, 'continue');
  request.end('body');
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 400);
  response.resume();
});

test('100 Continue is not sent in other cases', async () => {
  // The final response comes at once, without 100 Continue.
  for (const head of [
    wanting('POST /store/ HTTP/1.1', 'Content-Length: 0'),
    wanting('GET /problems/ HTTP/1.1'),
    wanting('POST /store/ HTTP/1.1', 'Content-Length: 99999999'),
    wanting('POST /store/ HTTP/1.1', 'Content-Length: 3', 'Host: y'),
    wanting('POST /store/ HTTP/1.1', 'Content-Length: 3'),
    wanting(reads(), 'Content-Length: 3'),
    wanting(reads(), 'Content-Length: 3', accepted[0]!),
  ]) {
    const { before } = await converse(plain(), head, '');
    assert.match(before, /^HTTP\/1\.1 (405|200|400|401|415) /, head.join());
  }
  // The service sends the response only after it has read the body.
  for (const head of [
    wanting(reads('1.0'), ...accepted, 'Content-Length: 3'),
    [reads(), ...accepted, 'Content-Length: 3'],
    [reads(), ...accepted, 'Content-Length: 3', 'Expect: something-else'],
  ]) {
    const { before, after } = await converse(plain(), head, 'abc', 300);
    assert.equal(before, '', head.join());
    assert.match(after, answered);
  }
  // The body's first byte arrives with the head, so the service sends no 100 Continue.
  const socket = plain();
  const head = wanting(reads(), ...accepted, 'Host: x', 'Connection: close', 'Content-Length: 3');
  socket.write(`${head.join('\r\n')}\r\n\r\na`);
  const rest = ended(socket);
  await sleep(300);
  socket.write('bc');
  assert.match(await rest, answered);
});
