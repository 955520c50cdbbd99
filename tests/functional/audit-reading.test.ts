// Reading the audit trail over the API and with the command; rows of commands; what each database role may do with it.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { configFile, createKey, databaseUrl, expectProblem, newStore, psql, shopbell } from './support.ts';

type Entry = Schemas['AuditEntryPage']['data'][number];

const { account, send } = newStore('Audit');
const keyId = psql(`SELECT key_id FROM api_key WHERE account_id = ${account}`);

const count = () => Number(psql(`SELECT count(*) FROM audit WHERE account_id = ${account}`));
const last = (of = account) =>
  JSON.parse(psql(`SELECT to_json(a) FROM audit a WHERE account_id = ${of} ORDER BY audit_id DESC LIMIT 1`));
const made = async (method: string, path: string, body?: object): Promise<any> => {
  const answer = await send(method, path, body);
  assert(answer.ok, `${method} ${path}: ${await answer.clone().text()}`);
  return answer.status === 204 ? undefined : answer.json();
};

const list = async (query = '', as = send): Promise<Entry[]> => {
  const answer = await as('GET', `/manage/audit/${query}`);
  assert.equal(answer.status, 200, await answer.clone().text());
  return ((await answer.json()) as Schemas['AuditEntryPage']).data;
};

test('the list is newest first, in pages, and filtered', async () => {
  for (let i = 0; i < 15; ++i) {
    const { id } = await made('POST', '/manage/keys/', { name: `key ${i}`, scopes: ['store:read'] });
    await made('PATCH', `/manage/keys/${id}`, { name: `other ${i}` });
    await made('PATCH', '/manage/store', { name: `Store ${i}` });
  }
  const all = await list('?limit=500');
  assert.equal(all.length, 46);
  assert.equal(all.length, count());
  assert.deepEqual(
    all.map(({ id }) => id),
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  );
  const oldest = await list('?limit=500&order=asc');
  assert.deepEqual(oldest, [...all].reverse());
  const paged: Entry[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const answer = await send('GET', `/manage/audit/?limit=7${cursor && `&cursor=${cursor}`}`);
    const page = (await answer.json()) as Schemas['AuditEntryPage'];
    paged.push(...page.data);
    cursor = page.nextCursor;
  }
  assert.deepEqual(paged, all);

  const filters: [string, (entry: Entry) => boolean][] = [
    ['actor=command', ({ actor }) => actor === 'command'],
    [`actor=${keyId}`, ({ actorId }) => actorId === keyId],
    ['operation=createKey', ({ operation }) => operation === 'createKey'],
    ['object=keys', ({ object }) => object.startsWith('keys/')],
    [`object=${all[5]!.object}`, ({ object }) => object === all[5]!.object],
    [`createdAfter=${all[9]!.createdAt}`, ({ createdAt }) => createdAt > all[9]!.createdAt],
    [`createdBefore=${all[9]!.createdAt}`, ({ createdAt }) => createdAt < all[9]!.createdAt],
    [
      `createdAfter=${all[20]!.createdAt}&createdBefore=${all[9]!.createdAt}&object=keys`,
      ({ createdAt, object }) =>
        createdAt > all[20]!.createdAt && createdAt < all[9]!.createdAt && object.startsWith('keys/'),
    ],
  ];
  for (const [query, matches] of filters)
    assert.deepEqual(await list(`?limit=500&${query}`), all.filter(matches), query);
  assert.deepEqual(await list('?object=key'), []);
  await expectProblem(await send('GET', '/manage/audit/?createdAfter=yesterday'), 422, 'invalid-parameter');
});

test('the list needs its scope and shows its own account only', async () => {
  const token = (
    (await made('POST', '/manage/keys/', { name: 'x', scopes: ['manage-keys:read'] })) as { token: string }
  ).token;
  await expectProblem(
    await send('GET', '/manage/audit/', undefined, { authorization: `Bearer ${token}` }),
    403,
    'scope-missing',
  );
  const other = newStore('Audited elsewhere');
  const [entry, ...more] = await list('', other.send);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [entry?.operation, entry?.actor, entry?.actorId, entry?.address],
    ['createKey', 'command', null, null],
  );
});

test('no role can change or delete rows, and the API role sees no rows of the installation', () => {
  for (const role of ['api', 'worker'] as const) {
    for (const change of ['UPDATE audit SET address = NULL', 'DELETE FROM audit', 'TRUNCATE audit'])
      assert.throws(() => psql(`SET shopbell.account = ${account}; ${change}`, databaseUrl(role)), {
        message: '42501',
      });
  }
  assert.equal(psql('SET shopbell.account = 0; SELECT count(*) FROM audit', databaseUrl('api')), '0');
  const columns = `account_id, audit_id, at, actor, operation, object, members`;
  const insert = (of: string) =>
    `INSERT INTO audit (${columns}) VALUES (${of}, gen_random_uuid(), now(), 'key', 'x', 'x', '{}')`;
  for (const set of [account, '0'])
    assert.throws(() => psql(`SET shopbell.account = ${set}; ${insert('0')}`, databaseUrl('api')), {
      message: '42501',
    });
});

test('rows are deleted after 400 days, in batches', () => {
  const aged = (days: number) =>
    psql(`INSERT INTO audit (account_id, audit_id, at, actor, operation, object, members)
      SELECT 1, gen_random_uuid(), now() - interval '${days} days', 'key', 'aged', 'x', '{}'
        FROM generate_series(1, 3)`);
  const left = () => psql(`SELECT count(*) FROM audit WHERE operation = 'aged'`);
  aged(399);
  aged(401);
  const deleted = () => Number(psql('SELECT delete_old_audit(2)', databaseUrl('worker')));
  assert(deleted() <= 2);
  while (deleted() > 0);
  assert.equal(left(), '3');
});

const run = (...args: string[]) => {
  const ran = shopbell(args);
  assert.equal(ran.status, 0, ran.stderr);
  return ran.stdout;
};

test('commands leave a row in their account or in the installation, and none if they fail', async () => {
  const email = 'eva@bell.example';
  const contact = await made('PATCH', `/contacts/email/${email}?createContact=true`, {});
  const expectLast = (of: string, operation: string, object: string, members: string[] = []) => {
    const row = last(of);
    assert.deepEqual(
      [row.actor, row.actor_id, row.operation, row.object, row.members, row.address],
      ['command', null, operation, object, members, null],
    );
  };
  const token = createKey(account, 'by command');
  const id = psql(`SELECT key_id FROM api_key WHERE account_id = ${account} AND name = 'by command'`);
  expectLast(account, 'createKey', `keys/${id}`, ['name', 'scopes']);
  assert(!psql(`SELECT a::text FROM audit a WHERE account_id = ${account} AND object = 'keys/${id}'`).includes(token));
  run('key', 'revoke', id);
  expectLast(account, 'revokeKey', `keys/${id}`);
  run('contact', 'erase', '--account', account, '--email', email);
  expectLast(account, 'deleteContactByEmail', `contacts/${contact.id}`);
  run('template', 'create', '--account', account, '--alias', 'by-command');
  assert.equal(last().operation, 'createTemplate');
  const before = count();
  assert.notEqual(shopbell(['key', 'revoke', id]).status, 0);
  assert.notEqual(shopbell(['template', 'create', '--account', account, '--alias', 'by-command']).status, 0);
  assert.equal(count(), before);

  const created = /^account=(\d+)$/m.exec(run('account', 'create', '--name', 'By command', '--currency', 'EUR'))![1]!;
  const of = (operation: string) =>
    psql(`SELECT members FROM audit WHERE account_id = 0 AND actor = 'command' AND operation = '${operation}'
      AND object = 'accounts/${created}'`);
  assert.equal(of('createAccount'), '{}');
  run('account', 'suspend', created);
  assert.equal(of('suspendAccount'), '{state}');
  run('account', 'resume', created);
  assert.equal(of('resumeAccount'), '{state}');
  run('account', 'rate', created, '--per-second', '7');
  assert.equal(of('setAccountRate'), '{requestsPerSecond,requestBurst}');
  assert.notEqual(shopbell(['account', 'suspend', '1']).status, 0);
  assert.equal(psql(`SELECT count(*) FROM audit WHERE object = 'accounts/1'`), '0');

  for (const operation of ['init', 'migrate'])
    assert.equal(
      psql(`SELECT count(*) FROM audit WHERE account_id = 0 AND operation = '${operation}'`),
      '1',
      operation,
    );

  psql(`INSERT INTO log_parked (account_id, reader, event_id, received_at, uid, kind, reason)
    VALUES (${account}, 'audited', 1, now(), gen_random_uuid(), 'x', 'x')`);
  run('log', 'parked', '--forget', 'audited');
  run('log', 'parked', '--forget', 'audited');
  assert.equal(
    psql(`SELECT count(*) FROM audit WHERE operation = 'forgetParkedEvents' AND object = 'readers/audited'`),
    '1',
  );
});

test('a rotation of the keyring is recorded, and fails without a database', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-audit.'));
  t.after(() => rmSync(dir, { recursive: true }));
  const ring = join(dir, 'keyring');
  copyFileSync(join(dirname(configFile), 'keyring'), ring);
  const rotate = (settings = {}) =>
    shopbell(['keyring', 'rotate'], configFile, { SHOPBELL_KEYRING_FILE: ring, ...settings }).status;
  const recorded = () => psql(`SELECT count(*) FROM audit WHERE account_id = 0 AND operation = 'rotateKeyring'`);
  const before = Number(recorded()); // other tests rotate a keyring, too
  assert.equal(rotate(), 0);
  assert(Number(recorded()) > before);
  const text = readFileSync(ring, 'utf8');
  assert.notEqual(rotate({ SHOPBELL_DATABASE_WORKER: 'postgresql://nobody@127.0.0.1:1/none' }), 0);
  assert.equal(readFileSync(ring, 'utf8'), text);
});

test('the command lists the rows of an account or of the installation', async () => {
  const entries: Entry[] = JSON.parse(run('audit', '--account', account, '--limit', '500', '--json'));
  assert.deepEqual(entries, await list('?limit=500'));
  const keys = run('audit', '--account', account, '--operation', 'createKey', '--object', 'keys', '--actor', 'key');
  const lines = keys.trim().split('\n');
  assert.match(lines[0]!, /^TIME +ACTOR +KEY +OPERATION +ADDRESS +OBJECT$/);
  assert.match(lines[1]!, new RegExp(`^\\S+Z +key +${keyId} +createKey +127\\.0\\.0\\.1 +keys/\\S+$`));
  assert.equal(lines[2], '    name scopes');
  const own: Entry[] = JSON.parse(run('audit', '--operation', 'init', '--json'));
  assert.deepEqual(
    own.map(({ actor, object }) => [actor, object]),
    [['command', 'installation']],
  );
  assert.deepEqual(JSON.parse(run('audit', '--before', '2020-01-01T00:00:00Z', '--json')), []);
  assert.notEqual(shopbell(['audit', '--after', 'yesterday']).status, 0);
});
