// Coupon sets over the API: creating, reading, filling, changing and deleting them, and invalid requests.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import type { Schemas } from '../../console/client/index.ts';
import { databaseUrl, expectProblem, faults, newStore, psql, shopbell } from './support.ts';

type CouponSet = Schemas['CouponSet'];
type NewCouponSet = Schemas['NewCouponSet'];

const store = newStore('Coupons');
const { send, client, account } = store;

let made = 0;
const create = async (more: Partial<NewCouponSet> = {}): Promise<CouponSet> => {
  const body: NewCouponSet = { alias: `set-${++made}`, name: 'x', kind: 'unique', ...more };
  const { data, error } = await client.POST('/manage/coupon-sets/', { body });
  assert(data, JSON.stringify(error));
  return data;
};
const read = async (id: string) => (await (await send('GET', `/coupon-sets/${id}`)).json()) as CouponSet;
const add = (id: string, codes: string[], headers = {}) =>
  send('POST', `/manage/coupon-sets/${id}/codes`, { codes }, headers);
const added = async (id: string, codes: string[]) => (await (await add(id, codes)).json()) as Schemas['CodesAdded'];
const codesOf = async (id: string, query = '') =>
  ((await (await send('GET', `/manage/coupon-sets/${id}/codes${query}`)).json()) as Schemas['CouponCodePage']).data;
const counters = ({ total, available, assigned, redeemed }: CouponSet) => [total, available, assigned, redeemed];
const newContact = async (externalId: string) => {
  const answer = await send('PATCH', `/contacts/external-id/${externalId}?createContact=true`, { firstName: 'A' });
  assert.equal(answer.status, 201);
  return ((await answer.json()) as { id: string }).id;
};
/** Calls `claim_coupon` as the worker's role. It is the only function that assigns codes. */
const claim = (set: string, contact: string, id: string) =>
  psql(
    `SELECT outcome || coalesce(' ' || code, '') FROM claim_coupon(${account}, '${set}', '${contact}', '${id}', NULL)`,
    databaseUrl('worker'),
  );
const uuid = () => crypto.randomUUID();
const nobody = '019a8412-7c00-7abc-8def-0123456789ab';

test('a set is returned as it was created, by id and by alias', async () => {
  const body: NewCouponSet = {
    alias: 'ten-percent',
    name: 'Ten percent off',
    kind: 'unique',
    validFrom: '2026-01-01T01:00:00+01:00',
    expiresAt: '2999-01-01T00:00:00Z',
    lowWatermark: 2,
  };
  const response = await send('POST', '/manage/coupon-sets/', body);
  assert.equal(response.status, 201);
  const set = (await response.json()) as CouponSet;
  assert.equal(response.headers.get('location'), `/manage/coupon-sets/${set.id}`);
  const { id, createdAt, updatedAt, ...rest } = set;
  assert.deepEqual(rest, {
    ...body,
    validFrom: '2026-01-01T00:00:00.000Z',
    expiresAt: '2999-01-01T00:00:00.000Z',
    code: null,
    total: 0,
    available: 0,
    assigned: 0,
    redeemed: 0,
    usedInWorkflows: [],
  });
  assert.equal(createdAt, updatedAt);
  for (const name of [id, 'ten-percent']) {
    const answer = await send('GET', `/coupon-sets/${name}`);
    assert.deepEqual(await answer.json(), set);
    assert.equal(answer.headers.get('etag'), response.headers.get('etag'));
    const known = { 'if-none-match': answer.headers.get('etag')! };
    assert.equal((await send('GET', `/coupon-sets/${name}`, undefined, known)).status, 304);
  }
  for (const name of ['nothing', nobody, 'Ten-Percent'])
    await expectProblem(await send('GET', `/coupon-sets/${name}`), 404, 'not-found');
});

test('all faults of a set are reported at once', async () => {
  const body = { alias: 'Ten %', name: '', kind: 'many', lowWatermark: -1, total: 5, foo: 1, expiresAt: 'soon' };
  assert.deepEqual(await faults(await send('POST', '/manage/coupon-sets/', body)), [
    '/alias invalid-format',
    '/name too-short',
    '/kind not-an-option',
    '/lowWatermark out-of-range',
    '/foo unknown-member',
    '/expiresAt invalid-format',
  ]);
  const base = { alias: 'x', name: 'x' };
  const post = (more: object) => send('POST', '/manage/coupon-sets/', { ...base, ...more });
  assert.deepEqual(await faults(await post({ kind: 'shared' })), ['/code required']);
  assert.deepEqual(await faults(await post({ kind: 'unique', code: 'A' })), ['/code conflicts-with']);
  assert.deepEqual(await faults(await post({ kind: 'shared', code: 'A B' })), ['/code invalid-format']);
  assert.deepEqual(await faults(await post({ kind: 'shared', code: 'A', lowWatermark: 1 })), [
    '/lowWatermark conflicts-with',
  ]);
  const times = { validFrom: '2027-01-01T00:00:00Z', expiresAt: '2027-01-01T00:00:00Z' };
  assert.deepEqual(await faults(await post({ kind: 'unique', ...times })), ['/expiresAt conflicts-with']);
  // Dropping an invalid `expiresAt` would extend the set's validity, so even lenient mode rejects it.
  const lenient = await send(
    'POST',
    '/manage/coupon-sets/',
    { ...base, kind: 'unique', expiresAt: 'soon' },
    {
      prefer: 'handling=lenient',
    },
  );
  assert.deepEqual(await faults(lenient), ['/expiresAt invalid-format']);
});

test('an alias and a code belong to one set', async () => {
  const shared = await create({ kind: 'shared', code: 'Welcome' });
  assert.deepEqual(counters(shared), [null, null, 0, 0]);
  const again = { alias: shared.alias, name: 'x', kind: 'unique' };
  await expectProblem(await send('POST', '/manage/coupon-sets/', again), 409, 'alias-taken');
  const other = { alias: 'other', name: 'x', kind: 'shared', code: 'WELCOME' };
  await expectProblem(await send('POST', '/manage/coupon-sets/', other), 409, 'coupon-code-taken');
  const unique = await create();
  assert.deepEqual(await added(unique.id, ['wElcome']), {
    added: 0,
    duplicates: [{ code: 'wElcome', couponSet: shared.alias }],
  });
  await expectProblem(await add(shared.id, ['A']), 409, 'coupon-set-shared');
  assert.deepEqual(
    (await codesOf(shared.id)).map(({ code, state }) => [code, state]),
    [['Welcome', 'available']],
  );
});

test('codes are added once, and duplicates are reported', async () => {
  const set = await create();
  const codes = [...Array(10_000).keys()].map((i) => `B-${i}`);
  assert.deepEqual(await added(set.id, codes), { added: 10_000, duplicates: [] });
  assert.deepEqual(counters(await read(set.id)), [10_000, 10_000, 0, 0]);
  const mixed = await added(set.alias, ['b-1', 'C-1', 'c-1', 'Straße', 'STRASSE']);
  assert.deepEqual(mixed, {
    added: 2,
    duplicates: [
      { code: 'b-1', couponSet: set.alias },
      { code: 'c-1', couponSet: set.alias },
      { code: 'STRASSE', couponSet: set.alias },
    ],
  });
  assert.deepEqual(counters(await read(set.id)), [10_002, 10_002, 0, 0]);
  assert.deepEqual(await faults(await add(set.id, [...codes, 'one-more'])), ['/codes too-long']);
  assert.deepEqual(await faults(await add(set.id, ['ok', '', 'a b', 'x'.repeat(65), 'a\u00a0b'])), [
    '/codes/1 too-short',
    '/codes/2 invalid-format',
    '/codes/3 too-long',
    '/codes/4 invalid-format',
  ]);
  assert.deepEqual(await added(set.id, []), { added: 0, duplicates: [] });
  await expectProblem(await add('nothing', ['A']), 404, 'not-found');
});

test('concurrent additions lose or duplicate no code', async () => {
  const set = await create();
  const batch = (n: number) => [...Array(200).keys()].map((i) => `R-${(i * 7 + n * 50) % 400}`);
  const answers = await Promise.all([...Array(16).keys()].map((n) => add(set.id, batch(n))));
  let sum = 0;
  for (const answer of answers) {
    assert.equal(answer.status, 200);
    sum += ((await answer.json()) as Schemas['CodesAdded']).added;
  }
  assert.equal(sum, 400);
  assert.deepEqual(counters(await read(set.id)), [400, 400, 0, 0]);
  assert.equal(
    psql(`SELECT count(*) FROM coupon WHERE account_id = ${account} AND coupon_set_id = '${set.id}'`),
    '400',
  );
  const once = { 'idempotency-key': uuid() };
  const first = await (await add(set.id, ['idem-1'], once)).text();
  const replay = await add(set.id, ['idem-1'], once);
  assert.deepEqual([await replay.text(), replay.headers.get('idempotent-replayed')], [first, 'true']);
});

test('a claim gets one code, the same one on each retry', async () => {
  const set = await create({ lowWatermark: 1 });
  await added(set.id, ['G-1', 'G-2', 'G-3']);
  const [ada, ben] = [await newContact('ada'), await newContact('ben')];
  const id = uuid();
  assert.equal(claim(set.id, ada, id), 'given G-1');
  assert.equal(claim(set.id, ada, id), 'given G-1');
  assert.equal(claim(set.id, ben, uuid()), 'given G-2');
  assert.deepEqual(counters(await read(set.id)), [3, 1, 2, 0]);
  const low = `SELECT count(*) FROM event WHERE account_id = ${account} AND kind = 'coupon-set.low'`;
  assert.equal(psql(low), '1'); // the event was written when two claims left one code
  assert.equal(claim(set.id, ben, uuid()), 'given G-3');
  assert.equal(psql(low), '1'); // a further claim does not repeat the event
  assert.equal(claim(set.id, ada, uuid()), 'empty');
  assert.equal(claim(set.id, nobody, uuid()), 'no-contact');
  assert.equal(claim(nobody, ada, uuid()), 'no-set');
  await added(set.id, ['G-4', 'G-5', 'G-6']);
  assert.equal(claim(set.id, ada, uuid()), 'given G-4');
  assert.equal(claim(set.id, ada, uuid()), 'given G-5');
  assert.equal(psql(low), '2'); // a second event: the set was refilled and ran low again
  const codes = await codesOf(set.id, '?order=asc');
  assert.deepEqual(
    codes.map(({ code, state, contactId }) => [code, state, contactId]),
    [
      ['G-1', 'assigned', ada],
      ['G-2', 'assigned', ben],
      ['G-3', 'assigned', ben],
      ['G-4', 'assigned', ada],
      ['G-5', 'assigned', ada],
      ['G-6', 'available', null],
    ],
  );
  const page = (await (
    await send('GET', `/manage/coupon-sets/${set.id}/codes?limit=4`)
  ).json()) as Schemas['CouponCodePage'];
  assert.deepEqual(
    page.data.map(({ code }) => code),
    ['G-6', 'G-5', 'G-4', 'G-3'],
  );
  const rest = await codesOf(set.id, `?limit=4&cursor=${page.nextCursor}`);
  assert.deepEqual(
    rest.map(({ code }) => code),
    ['G-2', 'G-1'],
  );
  const other = await send('GET', `/manage/coupon-sets/${(await create()).id}/codes?cursor=${page.nextCursor}`);
  await expectProblem(other, 422, 'invalid-cursor');
  const told = psql(`SELECT payload FROM event WHERE account_id = ${account} AND kind = 'coupon.assigned'
    AND contact_id = '${ada}' ORDER BY id LIMIT 1`);
  assert.deepEqual(JSON.parse(told), { couponSet: set.alias, code: 'G-1', runId: null });
  // An expired set gives no new code, but a repeated claim still returns its code.
  psql(`UPDATE coupon_set SET expires_at = now() WHERE coupon_set_id = '${set.id}'`);
  assert.equal(claim(set.id, ada, uuid()), 'expired');
  assert.equal(claim(set.id, ada, id), 'given G-1');
});

test('a shared code is given to everybody, and counted', async () => {
  const set = await create({ kind: 'shared', code: 'SPRING' });
  const [cleo, dan] = [await newContact('cleo'), await newContact('dan')];
  const id = uuid();
  for (const [contact, by] of [
    [cleo, id],
    [cleo, id],
    [dan, uuid()],
  ] as const)
    assert.equal(claim(set.id, contact, by), 'given SPRING');
  assert.deepEqual(counters(await read(set.id)), [null, null, 2, 0]);
});

test('no other role can assign codes', () => {
  const call = `SELECT claim_coupon(${account}, '${nobody}', '${nobody}', '${nobody}', NULL)`;
  for (const role of ['api', 'reader'] as const)
    assert.throws(() => psql(call, databaseUrl(role)), { message: '42501' });
  const insert = `SET shopbell.account = ${account};
    INSERT INTO coupon_claim (account_id, claim_id, coupon_set_id, code_key) VALUES (${account}, '${nobody}', '${nobody}', 'x')`;
  for (const role of ['api', 'worker'] as const)
    assert.throws(() => psql(insert, databaseUrl(role)), { message: '42501' });
});

test('coupons follow a merged contact, and lose an erased one', async () => {
  const set = await create();
  await added(set.id, ['M-1', 'M-2']);
  const [eve, fay, gil] = [await newContact('eve'), await newContact('fay'), await newContact('gil')];
  claim(set.id, eve, uuid());
  claim(set.id, gil, uuid());
  const merged = await send('POST', '/manage/contacts/merge', { from: eve, into: fay });
  assert.equal(merged.status, 200, await merged.text());
  assert.equal((await send('DELETE', '/contacts/external-id/gil')).status, 204);
  const codes = await codesOf(set.id, '?order=asc');
  assert.deepEqual(
    codes.map(({ code, contactId, state }) => [code, contactId, state]),
    [
      ['M-1', fay, 'assigned'],
      ['M-2', null, 'assigned'],
    ],
  );
  await added(set.id, ['M-3']);
  assert.equal(claim(set.id, eve, uuid()), 'given M-3'); // the id of the merged contact refers to the same person
  assert.equal((await codesOf(set.id))[0]!.contactId, fay);
});

test('a set is changed in part', async () => {
  const set = await create();
  const change = (body: object) => send('PATCH', `/manage/coupon-sets/${set.alias}`, body);
  const changed = (await (await change({ name: 'New', lowWatermark: 5, total: 7 })).json()) as CouponSet;
  assert.deepEqual([changed.name, changed.lowWatermark, changed.total], ['New', 5, 0]);
  assert.deepEqual(await read(set.id), changed);
  assert.deepEqual(await (await change(changed)).json(), changed); // sending the set back unchanged is accepted
  const cleared = (await (await change({ lowWatermark: null })).json()) as CouponSet;
  assert.equal(cleared.lowWatermark, null);
  const fixed = { alias: 'else', kind: 'shared', code: 'A', name: null };
  assert.deepEqual(await faults(await change(fixed)), ['/name required']);
  assert.deepEqual(await faults(await change({ alias: 'else', kind: 'shared', code: 'A' })), [
    '/alias read-only',
    '/kind read-only',
    '/code read-only',
  ]);
  await expectProblem(await send('PATCH', '/manage/coupon-sets/nothing', {}), 404, 'not-found');
});

test('a deleted set is gone, and its codes are free', async () => {
  const set = await create();
  await added(set.id, ['D-1', 'D-2']);
  claim(set.id, await newContact('hal'), uuid());
  assert.equal((await send('DELETE', `/manage/coupon-sets/${set.alias}`)).status, 204);
  await expectProblem(await send('GET', `/coupon-sets/${set.id}`), 404, 'not-found');
  await expectProblem(await send('DELETE', `/manage/coupon-sets/${set.id}`), 404, 'not-found');
  await expectProblem(await send('GET', `/manage/coupon-sets/${set.id}/codes`), 404, 'not-found');
  const next = await create({ alias: set.alias });
  assert.deepEqual(await added(next.id, ['D-1']), { added: 1, duplicates: [] });
  // A background task purges the deleted set's remaining rows later.
  const left = `SELECT (SELECT count(*) FROM coupon WHERE coupon_set_id = '${set.id}')
    + (SELECT count(*) FROM coupon_claim WHERE coupon_set_id = '${set.id}')
    + (SELECT count(*) FROM coupon_slot WHERE coupon_set_id = '${set.id}')`;
  assert.notEqual(psql(left), '0');
  psql(`UPDATE dropped_coupon_set SET dropped_at = now() - interval '2 minutes'`);
  while (psql('SELECT purge_dropped_coupons(1)', databaseUrl('worker')) !== '0');
  assert.equal(psql(left), '0');
  assert.deepEqual(counters(await read(next.id)), [1, 1, 0, 0]);
});

test('lists return every set, page by page', async () => {
  const own = newStore('Sets');
  for (let i = 0; i < 5; ++i)
    assert.equal(
      (await own.send('POST', '/manage/coupon-sets/', { alias: `s${i}`, name: 'x', kind: 'unique' })).status,
      201,
    );
  for (const path of ['/coupon-sets/', '/manage/coupon-sets/']) {
    const aliases: string[] = [];
    for (let next: string | null = `${path}?limit=2`; next;) {
      const response: Response = await own.send('GET', next);
      aliases.push(...((await response.json()) as Schemas['CouponSetPage']).data.map(({ alias }) => alias));
      next = /<(.*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
    }
    assert.deepEqual(aliases, ['s4', 's3', 's2', 's1', 's0']);
    const ascending = (await (await own.send('GET', `${path}?order=asc`)).json()) as Schemas['CouponSetPage'];
    assert.deepEqual(
      ascending.data.map(({ alias }) => alias),
      aliases.toReversed(),
    );
  }
});

test('the limit of sets per account holds under concurrent requests', async () => {
  const own = newStore('Full of sets');
  psql(`INSERT INTO coupon_set (account_id, coupon_set_id, lane, alias, name, kind, created_at, updated_at)
    SELECT ${own.account}, gen_random_uuid(), 0, 'f' || n, 'x', 'unique', now(), now() FROM generate_series(1, 998) n`);
  const answers = await Promise.all(
    [...Array(8).keys()].map((i) =>
      own.send('POST', '/manage/coupon-sets/', { alias: `race${i}`, name: 'x', kind: 'unique' }),
    ),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 2);
  for (const answer of answers.filter(({ status }) => status !== 201))
    await expectProblem(answer, 409, 'limit-reached');
  const page = await own.send('GET', '/coupon-sets/?limit=500');
  assert.equal(((await page.json()) as Schemas['CouponSetPage']).data.length, 500);
});

test('an operator creates sets, fills them from a file and lists them', () => {
  const dir = mkdtempSync(join(tmpdir(), 'shopbell-codes.'));
  const file = join(dir, 'codes.txt');
  writeFileSync(file, 'O-1\r\no-1\n\nO-2\n');
  const run = (...args: string[]) => shopbell(['coupons', ...args, '--account', account]);
  const set = run('create', '--alias', 'by-hand', '--low-watermark', '1');
  assert.match(set.stdout, /^coupon_set=[0-9a-f-]{36}\nalias=by-hand\n$/, set.stderr);
  assert.equal(run('add', 'by-hand', file).stdout, 'duplicate=o-1 in by-hand\nadded=2\n');
  assert.match(run('list').stdout, /^by-hand +unique +2 +2 +0 +0 +by-hand$/m);
  writeFileSync(file, 'two words\n');
  for (const refused of [
    run('create', '--alias', 'by-hand'),
    run('create', '--alias', 'By Hand'),
    run('create', '--alias', 'hand', '--code', 'O-1'),
    run('create', '--alias', 'hand', '--expires', 'soon'),
    run('add', 'nothing', file),
    run('add', 'by-hand', file),
    run('add', 'by-hand', join(dir, 'nothing')),
    shopbell(['coupons', 'list', '--account', '4711']),
  ]) {
    assert.equal(refused.status, 1, refused.stdout);
    assert.match(refused.stderr, /^shopbell: /);
    assert.doesNotMatch(refused.stderr, /constraint|relation/);
  }
  rmSync(dir, { recursive: true });
});
