// Keys and store through /manage/ and the command line.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

import { connect } from '../../console/client/index.ts';
import type { Schemas } from '../../console/client/index.ts';
import {
  ask,
  createAccount,
  createKey,
  eventually,
  expectProblem,
  openapi,
  psql,
  ready,
  shopbell,
  start,
  url,
} from './support.ts';

const account = createAccount('Managed');
const key = createKey(account, 'root');
const client = connect({ url, key });
const as = (token: string) => connect({ url, key: token });
const status = async (path: string, token: string, at = url) =>
  (await ask(path, { headers: { authorization: `Bearer ${token}` } }, at)).status;

async function newKey(body: Schemas['NewApiKey']) {
  const { data, error } = await client.POST('/manage/keys/', { body });
  assert(data, JSON.stringify(error));
  return data;
}

test('a key is created, shown once, used, changed and revoked', async () => {
  const made = await newKey({ name: 'connector', scopes: ['store:read'] });
  assert.match(made.token, /^sb_live_\w{36}$/);
  assert.equal(made.hint, `…${made.token.slice(-4)}`);
  assert.equal((await as(made.token).GET('/store/')).data?.name, 'Managed');
  assert.equal(await status('/contact-fields/', made.token), 403);

  const path = { params: { path: { id: made.id } } };
  const { data: read } = await client.GET('/manage/keys/{id}', path);
  assert(read && !('token' in read));
  const { data: changed } = await client.PATCH('/manage/keys/{id}', {
    ...path,
    body: { scopes: ['contact-fields:read'], expiresAt: '2099-01-01T00:00:00Z' },
  });
  assert.deepEqual(changed?.scopes, ['contact-fields:read']);
  await sleep(1000);
  assert.deepEqual([await status('/contact-fields/', made.token), await status('/store/', made.token)], [200, 403]);
  assert.equal((await client.DELETE('/manage/keys/{id}', path)).response.status, 204);
  await sleep(1000);
  assert.equal(await status('/contact-fields/', made.token), 401);
  assert.equal((await client.GET('/manage/keys/{id}', path)).response.status, 404);
});

test('a key cannot create a key with more scopes than its own', async () => {
  const maker = await newKey({ name: 'maker', scopes: ['manage-keys:write', 'store:read'] });
  const attempt = (scopes: string[]) =>
    as(maker.token).POST('/manage/keys/', { body: { name: 'x', scopes } as Schemas['NewApiKey'] });
  assert.equal((await attempt(['store:read'])).response.status, 201);
  const refused = await attempt(['contact-fields:delete']);
  assert.deepEqual([refused.response.status, refused.error?.code], [403, 'scope-missing']);
  const own = await as(maker.token).PATCH('/manage/keys/{id}', {
    params: { path: { id: maker.id } },
    body: { scopes: ['manage-keys:write', 'manage-keys:delete'] },
  });
  assert.equal(own.response.status, 403);
});

test('a key can be restricted to addresses', async () => {
  const here = await newKey({ name: 'here', scopes: ['store:read'], allowedAddresses: ['127.0.0.0/8'] });
  assert.equal(await status('/store/', here.token), 200);
  const away = await newKey({ name: 'away', scopes: ['store:read'], allowedAddresses: ['192.0.2.7'] });
  assert.equal(await status('/store/', away.token), 401);
});

test('an invalid limit is rejected, never dropped', async () => {
  const response = await ask('/manage/keys/', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      prefer: 'handling=lenient',
    },
    body: JSON.stringify({
      name: 'loose',
      scopes: ['store:read'],
      expiresAt: 'tomorrow',
      allowedAddresses: ['home'],
      requestsPerSecond: 0,
    }),
  });
  const problem = await expectProblem(response, 422, 'invalid-body');
  assert.deepEqual(
    problem.errors!.map(({ pointer }) => pointer),
    ['/expiresAt', '/allowedAddresses/0', '/requestsPerSecond'],
  );
});

test('a key can have its own rate limit', async () => {
  const slow = await newKey({
    name: 'slow',
    scopes: ['store:read'],
    requestsPerSecond: 1,
    requestBurst: 3,
  });
  const answers = await Promise.all(
    [...Array(6).keys()].map(() => ask('/store/', { headers: { authorization: `Bearer ${slow.token}` } })),
  );
  const refused = answers.filter((answer) => answer.status === 429);
  assert(refused.length >= 2, `${refused.length} of 6 refused`);
  const problem = await expectProblem(refused[0], 429, 'quota-exceeded');
  assert.deepEqual(problem['violated-policies'], ['key']);
  assert(Number(refused[0]!.headers.get('retry-after')) >= 1);
  for (const answer of answers) {
    assert.match(answer.headers.get('ratelimit-policy')!, /"default";q=200;w=2, ?"key";q=3;w=3/);
    assert.match(answer.headers.get('ratelimit')!, /"default";r=\d+;t=\d+, ?"key";r=\d+;t=\d+/);
  }
});

test('the last use of a key is shown', async () => {
  const used = await newKey({ name: 'used', scopes: ['store:read'] });
  assert.equal(used.lastUsedAt, null);
  assert.equal(await status('/store/', used.token), 200);
  for (let i = 0; ; ++i) {
    const { data } = await client.GET('/manage/keys/{id}', { params: { path: { id: used.id } } });
    if (data?.lastUsedAt) break;
    assert(i < 40, 'not shown within 4 s');
    await sleep(100);
  }
});

test('keys are listed newest first, in pages', async () => {
  const { data: first } = await client.GET('/manage/keys/', { params: { query: { limit: 2 } } });
  assert(first?.nextCursor);
  const { data: second } = await client.GET('/manage/keys/', {
    params: { query: { limit: 500, cursor: first.nextCursor } },
  });
  const ids = [...first.data, ...second!.data].map(({ id }) => id);
  assert.deepEqual(ids, ids.toSorted().toReversed());
  const { data: oldest } = await client.GET('/manage/keys/', { params: { query: { order: 'asc' } } });
  assert.deepEqual(oldest?.data[0]?.name, 'root');
});

test('a patch changes only the members it contains', async () => {
  const before = await client.GET('/manage/store');
  const etag = before.response.headers.get('etag')!;
  const change = (body: Schemas['StorePatch'], match?: string) =>
    client.PATCH('/manage/store', {
      body,
      params: { header: match ? { 'If-Match': match } : {} },
    });
  const changed = await change({ domains: ['shop.example'], sendLimits: { marketing: { perDay: 2 } } }, etag);
  assert.deepEqual(changed.data, {
    ...before.data,
    domains: ['shop.example'],
    sendLimits: { marketing: { perDay: 2, perWeek: null } },
    updatedAt: changed.data?.updatedAt,
  });
  assert.equal((await change({ name: 'x' }, etag)).response.status, 412);
  assert.deepEqual((await client.GET('/store/')).data?.domains, ['shop.example']);
  const refused = await change({ currency: 'ABC', timeZone: 'Mars', usage: 1, name: null } as never);
  assert.deepEqual(
    refused.error?.errors?.map(({ pointer, code }) => `${pointer} ${code}`),
    ['/currency invalid-format', '/timeZone invalid-format', '/name required'],
  );
});

test('the test account is isolated from the live account', async () => {
  const test = psql(`SELECT account_id FROM account WHERE live_account_id = ${account}`);
  const token = createKey(test, 'test');
  assert.match(token, /^sb_test_/);
  const made = await as(token).POST('/contact-fields/', { body: { id: 'onlyInTest', name: 'x', type: 'text' } });
  assert.equal(made.response.status, 201);
  assert.equal(await status('/contact-fields/onlyInTest', key), 404);
  const { data } = await as(token).POST('/manage/keys/', { body: { name: 'x', scopes: ['store:read'] } });
  assert.match(data!.token, /^sb_test_/);
});

test('an operator lists, limits, suspends and resumes accounts', async () => {
  const own = createAccount('Operated');
  const token = createKey(own, 'operated');
  assert.match(shopbell(['account', 'list']).stdout, new RegExp(`^${own} .* active .* Operated$`, 'm'));
  assert.equal(shopbell(['account', 'rate', own, '--per-second', '7', '--burst', '9']).status, 0);
  await sleep(1000);
  const { data, response } = await as(token).GET('/store/');
  assert.deepEqual([data?.limits.requestsPerSecond, data?.limits.requestBurst], [7, 9]);
  assert.match(response.headers.get('ratelimit-policy')!, /"default";q=9;w=2/);
  assert.equal(shopbell(['account', 'suspend', own]).status, 0);
  await sleep(1000);
  assert.equal(await status('/store/', token), 403);
  assert.equal(shopbell(['account', 'resume', own]).status, 0);
  await sleep(1000);
  assert.equal(await status('/store/', token), 200);
  assert.match(shopbell(['account', 'suspend', '1']).stderr, /the account 1 does not exist/);
});

test('an operator lists and revokes keys, on every process within a second', async (t) => {
  const other = await start(t);
  await eventually(async () => (await ready(other)).ready);
  const token = createKey(account, 'to revoke');
  for (const at of [url, other.url]) assert.equal(await status('/store/', token, at), 200);
  const listed = shopbell(['key', 'list', '--account', account]).stdout;
  const id = /^([0-9a-f-]{36}) .*to revoke$/m.exec(listed)?.[1];
  assert(id, listed);
  assert(!listed.includes(token));
  assert.equal(shopbell(['key', 'revoke', id]).status, 0);
  await sleep(1000);
  for (const at of [url, other.url]) assert.equal(await status('/store/', token, at), 401);
  assert.match(shopbell(['key', 'list', '--account', account]).stdout, /to revoke \(revoked\)$/m);
  assert.equal(shopbell(['key', 'revoke', id]).status, 1);
});

test('every scope of an operation can be granted to a key', () => {
  type Operation = { 'x-scope'?: string; 'x-further-scopes'?: string[] };
  const asked = Object.values(openapi.paths as Record<string, Record<string, Operation>>)
    .flatMap((path) => Object.values(path))
    .flatMap((operation) => [operation['x-scope'], ...(operation['x-further-scopes'] ?? [])])
    .filter(Boolean);
  const offered = openapi.components.schemas.NewApiKey.properties.scopes.items.enum as string[];
  assert.deepEqual(new Set(offered), new Set(asked));
});
