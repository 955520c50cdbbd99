import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { ask, createAccount, createKey, expectProblem, key, openapi, psql, raw, url } from './support.ts';

const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
const request = (line: string, ...headers: string[]) => [line, 'Host: x', ...headers, '', ''].join('\r\n');
const withKey = `Authorization: Bearer ${key}`;

// The checksum of a key: CRC32 in six base62 digits.
function checksum(text: string): string {
  let crc = ~0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; ++bit) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  let rest = ~crc >>> 0;
  let result = '';
  for (let i = 0; i < 6; ++i, rest = Math.floor(rest / 62)) result = digits[rest % 62] + result;
  return result;
}

test('requests without a valid key get 401', async () => {
  assert.equal(checksum(key.slice(0, -6)), key.slice(-6));
  const unknown = `sb_live_${'x'.repeat(30)}`;
  const refused = [
    '',
    'Bearer',
    'Bearer ',
    `Basic ${btoa(`${key}:`)}`,
    key,
    `Bearer ${key.slice(0, -1)}_`,
    'Bearer sb_live_1',
    `Bearer ${unknown}${checksum(unknown)}`,
  ];
  for (const authorization of refused) {
    const response = await ask('/store/', { headers: { authorization } });
    assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer /, authorization);
    await expectProblem(response, 401, 'unauthorized');
  }
  const [response] = await raw(request('GET /store/ HTTP/1.1', 'Connection: close'));
  assert.match(response?.headers.get('www-authenticate') ?? '', /^Bearer /);
  await expectProblem(response, 401, 'unauthorized');
});

test('the authentication scheme is case-insensitive', async () => {
  assert.equal((await ask('/store/', { headers: { authorization: `bEARER ${key}` } })).status, 200);
});

test('a key without the scope gets the scope’s name', async () => {
  const scopeless = createKey(createAccount('Scopeless'), 'scopeless');
  psql(`UPDATE api_key SET scopes = '{}' WHERE name = 'scopeless'`);
  const problem = await expectProblem(await ask('/store/', bearer(scopeless)), 403, 'scope-missing');
  assert(problem.detail.includes(openapi.paths['/store/'].get['x-scope']));
});

// A change in the database applies to every event loop of every process a second later. Each request uses its own
// connection, so that every loop is reached.
async function refusedAfter(change: string, status: number, code: string) {
  const account = createAccount(code);
  const own = { headers: { ...bearer(createKey(account, code)).headers, connection: 'close' } };
  for (let i = 0; i < 10; ++i) assert.equal((await ask('/store/', own)).status, 200);
  psql(change.replace('$account', account));
  await sleep(1000);
  for (let i = 0; i < 10; ++i) await expectProblem(await ask('/store/', own), status, code);
}

test('a revoked key is rejected within a second', () =>
  refusedAfter('UPDATE api_key SET revoked_at = now() WHERE account_id = $account', 401, 'key-revoked'));

test('an expired key is rejected within a second', () =>
  refusedAfter('UPDATE api_key SET expires_at = now() WHERE account_id = $account', 401, 'key-expired'));

test('a suspended account is rejected within a second', () =>
  refusedAfter(`UPDATE account SET state = 'suspended' WHERE account_id = $account`, 403, 'account-suspended'));

test('an unknown path is 404, with or without a key', async () => {
  const paths = [
    '/',
    '/nowhere',
    '/Store/',
    '/store/x',
    '/store%2F',
    '/store/%2F',
    '/store/%00',
    '/store/%',
    '/store/%zz',
    '/st%6fre/x',
    '//store/',
    '/store//',
    '/./store/',
    '/store/../store/',
    '/store/.',
    '/store/%2e',
    '/x/%2e%2e/store/',
    '/store/%ff',
  ];
  for (const path of paths) {
    for (const headers of [[], [withKey]]) {
      const [response] = await raw(request(`GET ${path} HTTP/1.1`, 'Connection: close', ...headers));
      const problem = await expectProblem(response, 404, 'path-not-found');
      assert.equal(problem.instance, path);
    }
  }
});

test('a segment is decoded once before it is matched', async () => {
  assert.equal((await ask('/st%6Fre/')).status, 200);
  await expectProblem(await ask('/st%256Fre/'), 404, 'path-not-found');
});

test('an unknown problem code is 404', async () => {
  for (const code of ['nonsense', 'not-found%2F', 'Not-Found']) {
    await expectProblem(await ask(`/problems/${code}`), 404, 'not-found');
  }
});

test('a wrong method is 405 with the allowed ones, with or without a key', async () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
    for (const authorization of [`Bearer ${key}`, '']) {
      for (const path of ['/store/', '/store']) {
        const response = await ask(path, { method, headers: { authorization } });
        assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
        await expectProblem(response, 405, 'method-not-allowed');
      }
    }
  }
});

test('OPTIONS returns the methods of a path', async () => {
  const response = await ask('/store/', { method: 'OPTIONS', headers: { authorization: '' } });
  assert.equal(response.status, 204);
  assert.equal(response.headers.get('allow'), 'GET, HEAD, OPTIONS');
  assert.equal(response.headers.get('content-length'), null);
  await expectProblem(await ask('/nowhere', { method: 'OPTIONS' }), 404, 'path-not-found');
});

test('the other form of the slash is redirected, and keeps the query', async () => {
  const forms = {
    '/store': '/store/',
    '/store?a=1&b=%20+': '/store/?a=1&b=%20+',
    '/problems/internal/?': '/problems/internal',
  };
  for (const [asked, right] of Object.entries(forms)) {
    for (const method of ['GET', 'HEAD']) {
      const response = await ask(asked, { method, headers: { authorization: '' } });
      assert.deepEqual([response.status, response.headers.get('location')], [308, right]);
    }
  }
});

test('all faults of a query are reported at once', async () => {
  const problem = await expectProblem(
    await ask('/store/?limit=1&limit=2&createContacts=true&%C3%A9'),
    422,
    'unknown-parameter',
  );
  assert.deepEqual(
    new Set(problem.errors?.map(({ parameter }) => parameter)),
    new Set(['limit', 'createContacts', 'é']),
  );
  for (const error of problem.errors ?? []) assert.equal(error.code, 'unknown-parameter');
});

test('a query that cannot be decoded is 422', async () => {
  for (const query of ['a=%', 'a=%zz', '%00=1', 'a=%ff']) {
    await expectProblem(await ask(`/store/?${query}`), 422, 'invalid-parameter');
  }
});

test('a path that is too long is 414 before any other check', async () => {
  const path = (bytes: number) => `/${'p'.repeat(bytes - 1)}`;
  const answer = async (target: string) => (await raw(request(`GET ${target} HTTP/1.1`, 'Connection: close')))[0];
  await expectProblem(await answer(path(8192)), 404, 'path-not-found');
  await expectProblem(await answer(path(8193)), 414, 'path-too-long');
  await expectProblem(await answer(`/store/?q=${'q'.repeat(8192)}`), 414, 'path-too-long');
});

test('headers that are too large are 431 before any other check', async () => {
  const answer = async (...headers: string[]) =>
    (await raw(request('GET /nowhere HTTP/1.1', 'Connection: close', ...headers)))[0];
  await expectProblem(await answer(`X-Large: ${'x'.repeat(31 * 1024)}`), 404, 'path-not-found');
  await expectProblem(await answer(`X-Large: ${'x'.repeat(33 * 1024)}`), 431, 'headers-too-large');
  await expectProblem(await answer(...Array<string>(4000).fill('X-Many: x')), 431, 'headers-too-large');
  await expectProblem(await answer(`X-Endless: ${'x'.repeat(256 * 1024)}`), 431, 'headers-too-large');
});

const get = 'GET /store/ HTTP/1.1';
const chunked = 'Transfer-Encoding: chunked';
const malformed = {
  nonsense: 'nonsense\r\n\r\n',
  'a request without a version': 'GET /store/\r\n\r\n',
  'a request of another version': request('GET /store/ HTTP/9.9'),
  'a space too many': request('GET  /store/ HTTP/1.1'),
  'a header without a colon': request(get, withKey, 'nonsense'),
  'a space in the name of a header': request(get, withKey, 'Bad Name: x'),
  'a control character in a header': request(get, withKey, 'X-Bad: a\x01b'),
  'a request without a host': `${get}\r\n${withKey}\r\n\r\n`,
  'a length that is not a number': request(get, withKey, 'Content-Length: some'),
  'two lengths': request(get, withKey, 'Content-Length: 3', 'Content-Length: 4') + 'abc',
  'a length and chunks': request(get, withKey, 'Content-Length: 5', chunked) + '0\r\n\r\n',
  'chunks and a length': request(get, withKey, chunked, 'Content-Length: 5') + '0\r\n\r\n',
  'a transfer encoding without chunks': request(get, withKey, 'Transfer-Encoding: gzip'),
  'a transfer encoding after chunks': request(get, withKey, 'Transfer-Encoding: chunked, gzip') + '0\r\n\r\n',
  'a chunk size that is not a number': request(get, withKey, chunked) + 'zz\r\nabc\r\n0\r\n\r\n',
  'a chunk longer than its size': request(get, withKey, chunked) + '1\r\nabc\r\n0\r\n\r\n',
};
for (const [what, bytes] of Object.entries(malformed)) {
  test(`${what} is 400 and closes the connection`, async () => {
    // The start of the next request is unknown; behind a proxy it may belong to another client.
    const answers = await raw(bytes + request(get, 'X-Request-Id: smuggled'), { halfClose: true });
    assert.equal(answers.length, 1);
    assert.equal(answers[0]?.headers.get('connection'), 'close');
    await expectProblem(answers[0], 400, 'malformed-request');
  });
}

const large = 'x'.repeat(1024 * 1024 + 1);
const chunks = `${large.length.toString(16)}\r\n${large}\r\n0\r\n\r\n`;

test('a body that is too large is 413', async () => {
  const head = (...headers: string[]) => request(get, withKey, ...headers);
  await expectProblem((await raw(head(`Content-Length: ${large.length}`) + large))[0], 413, 'body-too-large');
  await expectProblem((await raw(head(`Content-Length: ${large.length}`)))[0], 413, 'body-too-large');
  await expectProblem((await raw(head('Transfer-Encoding: chunked') + chunks))[0], 413, 'body-too-large');
  const most = large.slice(1);
  const [response] = await raw(head(`Content-Length: ${most.length}`, 'Connection: close') + most);
  assert.equal(response?.status, 200);
});

test('path, method and key are checked before the size of a body', async () => {
  const bodies = [`Content-Length: ${large.length}\r\n\r\n${large}`, `Transfer-Encoding: chunked\r\n\r\n${chunks}`];
  for (const body of bodies) {
    const send = async (line: string) => (await raw(`${line} HTTP/1.1\r\nHost: x\r\n${body}`))[0];
    await expectProblem(await send('GET /nowhere'), 404, 'path-not-found');
    await expectProblem(await send('POST /store/'), 405, 'method-not-allowed');
    await expectProblem(await send('GET /store/'), 401, 'unauthorized');
  }
});

test('pipelined requests are answered in order', async () => {
  const lines = ['GET /store/', 'GET /nowhere', 'POST /store/', 'GET /problems/', 'GET /store'];
  const sent = lines.map((line, i) => request(`${line} HTTP/1.1`, withKey, `X-Request-Id: ${i}`)).join('');
  const last = request('GET /store/ HTTP/1.1', withKey, 'X-Request-Id: 5', 'Connection: close');
  const answers = await raw(sent + last);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 405, 200, 308, 200],
  );
  assert.deepEqual(
    answers.map(({ headers }) => headers.get('x-request-id')),
    ['0', '1', '2', '3', '4', '5'],
  );
});

test('a client that half-closes its connection still gets a response', async () => {
  const answers = await raw(request('GET /store/ HTTP/1.1', withKey), { halfClose: true });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  );
});

test('every problem is explained, for programs and for people', async () => {
  const { data } = (await (await fetch(`${url}/problems/`)).json()) as { data: { code: string }[] };
  assert(data.length > 10);
  const page = await fetch(`${url}/problems/`, { headers: { accept: 'text/html' } });
  assert.equal(page.headers.get('content-type'), 'text/html; charset=utf-8');
  const list = await page.text();
  for (const kind of data) {
    const explained = await fetch(`${url}/problems/${kind.code}`);
    assert.deepEqual([explained.status, await explained.json()], [200, kind]);
    assert.deepEqual(Object.keys(kind), ['code', 'status', 'title', 'mend']);
    const html = await fetch(`${url}/problems/${kind.code}`, {
      headers: { accept: 'text/html,*/*;q=0.8' },
    });
    assert.equal(html.headers.get('content-type'), 'text/html; charset=utf-8');
    assert((await html.text()).includes(`<code>${kind.code}</code>`));
    assert(list.includes(`href="${kind.code}"`));
  }
});
