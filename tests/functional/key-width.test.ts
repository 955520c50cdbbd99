// A key cannot create, edit or become a key that allows more than itself.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { expectProblem, newStore } from './support.ts';

const all = '/manage/keys/';
const store = newStore('Key width');

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function made(body: Partial<Schemas['NewApiKey']>, by = store.key) {
  const response = await store.send('POST', all, { name: 'key', ...body }, bearer(by));
  const answer = (await response.json()) as Schemas['CreatedApiKey'];
  assert.equal(response.status, 201, JSON.stringify(answer));
  return { ...answer, path: all + answer.id };
}

const scopes = ['manage-keys:read', 'manage-keys:write', 'manage-keys:delete', 'store:read'] as const;
const limits = {
  scopes: [...scopes],
  expiresAt: '2099-01-01T00:00:00.000Z',
  allowedAddresses: ['127.0.0.0/9', '127.128.0.0/9', '192.0.2.0/24'],
  requestsPerSecond: 1000,
  requestBurst: 1500,
};
const caller = await made(limits);
const unlimited = { expiresAt: null, allowedAddresses: [], requestsPerSecond: null, requestBurst: null };
const respects = ['/expiresAt out-of-range', '/allowedAddresses required', '/requestsPerSecond out-of-range'];

async function refused(response: Response, code = 'key-too-wide') {
  const problem = await expectProblem(response, 403, code);
  return problem.errors!.map((fault) => `${fault.pointer} ${fault.code}`);
}

test('a key cannot create a key without its own limits', async () => {
  const post = (body: object) => store.send('POST', all, { name: 'copy', ...body }, bearer(caller.token));
  assert.deepEqual(await refused(await post({ scopes: ['store:read'] })), respects);
  assert.deepEqual(
    await refused(
      await post({
        scopes: ['store:read', 'contacts:read'],
        expiresAt: '2099-01-01T00:00:00.001Z',
        allowedAddresses: ['127.0.0.1', '127.0.0.0/7', '::1'],
        requestsPerSecond: 1001,
        requestBurst: 1501,
      }),
      'scope-missing',
    ),
    [
      '/scopes/1 not-an-option',
      '/expiresAt out-of-range',
      '/allowedAddresses/1 out-of-range',
      '/allowedAddresses/2 out-of-range',
      '/requestsPerSecond out-of-range',
      '/requestBurst out-of-range',
    ],
  );
  // An equal key, and a narrower one. The two halves of 127.0.0.0/8 are the whole of it.
  await made(limits, caller.token);
  await made({ ...limits, scopes: ['store:read'], allowedAddresses: ['127.0.0.0/8'], requestBurst: 1 }, caller.token);
});

test('a key cannot loosen itself', async () => {
  const patch = (body: object) => store.send('PATCH', caller.path, body, bearer(caller.token));
  assert.deepEqual(await refused(await patch(unlimited)), respects);
  assert.deepEqual(await refused(await patch({ requestBurst: null })), ['/requestBurst out-of-range']);
  assert.deepEqual(await refused(await patch({ scopes: [...scopes, 'contacts:read'] }), 'scope-missing'), [
    '/scopes/4 not-an-option',
  ]);
  const shown = (await (await store.send('GET', caller.path)).json()) as Schemas['ApiKey'];
  for (const [name, value] of Object.entries(limits)) assert.deepEqual(shown[name as keyof typeof shown], value);
  assert.equal((await patch({ name: 'renamed' })).status, 200);
});

test('a key cannot edit a wider key, not even to narrow it, but can revoke it', async () => {
  const wide = await made({ scopes: ['store:read', 'contacts:read'] });
  const patch = (body: object) => store.send('PATCH', wide.path, body, bearer(caller.token));
  for (const body of [{ name: 'mine' }, { ...limits, scopes: ['store:read'] }])
    assert.deepEqual(await refused(await patch(body), 'scope-missing'), ['/scopes/1 not-an-option', ...respects]);
  const revoked = await store.send('DELETE', wide.path, undefined, bearer(caller.token));
  assert.equal(revoked.status, 204);
});

test('a key without limits of its own sets and removes those of others', async () => {
  const other = await made(limits);
  const response = await store.send('PATCH', other.path, unlimited);
  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as Schemas['ApiKey']).expiresAt, null);
});

test('a repeated request returns a new key only to a caller that could create it', async () => {
  const body = { name: 'replayed', scopes: ['store:read'] };
  const again = { 'idempotency-key': 'key-width-1' };
  assert.equal((await store.send('POST', all, body, again)).status, 201);
  const replay = await store.send('POST', all, body, { ...again, ...bearer(caller.token) });
  assert.deepEqual(await refused(replay), respects);
});
